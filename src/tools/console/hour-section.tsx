// The last hour: requests, errors and latency, drawn and in figures.

import type { Stretch } from './last-hour.js';
import { Head, Scroll, type View } from './layout.js';
import { HourBars } from './plots.js';

interface Row {
  readonly name: string;
  readonly kind: 'calls' | 'errors' | 'times';
  /** Undefined where nothing was asked in that time. */
  value(stretch: Stretch): number | undefined;
  text(value: number): string;
}

interface LastHourProps {
  readonly view: View;
  readonly stretches: readonly Stretch[];
  /** Milliseconds since 1970, UTC: the right end. */
  readonly until: number;
}

export function LastHourSection({ view, stretches, until }: LastHourProps) {
  const { formats } = view;
  const first = stretches[0];
  const sum = (of: (stretch: Stretch) => number) =>
    formats.number(stretches.reduce((total, stretch) => total + of(stretch), 0));
  return (
    <section>
      <h2>The last hour</h2>
      {first === undefined ? (
        <p class="empty">
          The plot begins with the second reading, a minute after the start of this console.
        </p>
      ) : (
        <>
          <Plots view={view} stretches={stretches} until={until} />
          <p class="caption">
            {`${sum(({ requests }) => requests)} requests since ${formats.clock(first.from)}, ${sum(({ failed }) => failed)} of them errors (answered 500 or above). This console reads them once a minute; a gap is a time in which it could not, or a restart.`}
          </p>
        </>
      )}
    </section>
  );
}

function Plots({ view, stretches, until }: LastHourProps) {
  const rows = rowsOf(view);
  return (
    <>
      <div class="hour" aria-hidden="true">
        {rows.map(({ name, kind, value }) => (
          <div>
            <p>{name}</p>
            <HourBars
              kind={kind}
              until={until}
              bars={stretches.map((stretch) => ({ ...stretch, value: value(stretch) ?? 0 }))}
            />
            <p class="axis">
              <span>an hour ago</span>
              <span>now</span>
            </p>
          </div>
        ))}
      </div>
      <Scroll label="The last hour">
        <table>
          <Head names={['Figure']} numbers={['Latest', 'Highest', 'When']} />
          <tbody>
            {rows.map((row) => (
              <FigureRow view={view} stretches={stretches} row={row} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function FigureRow({
  view,
  stretches,
  row: { name, value, text },
}: Omit<LastHourProps, 'until'> & { readonly row: Row }) {
  const shown = (amount: number | undefined) => (amount === undefined ? '–' : text(amount));
  const [highest] = stretches.toSorted((a, b) => (value(b) ?? -1) - (value(a) ?? -1));
  const most = highest && value(highest);
  const latest = stretches.at(-1);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{shown(latest && value(latest))}</td>
      <td class="number">{shown(most)}</td>
      <td class="number">{most ? view.formats.clock(highest.to) : '–'}</td>
    </tr>
  );
}

function rowsOf({ formats }: View): readonly Row[] {
  const perMinute = (count: number, { from, to }: Stretch) => (60_000 * count) / (to - from);
  return [
    {
      name: 'Requests a minute',
      kind: 'calls',
      value: (stretch) => perMinute(stretch.requests, stretch),
      text: formats.decimal,
    },
    {
      name: 'Errors a minute',
      kind: 'errors',
      value: (stretch) => perMinute(stretch.failed, stretch),
      text: formats.decimal,
    },
    {
      name: '95 of 100 take at most',
      kind: 'times',
      value: ({ p95Seconds }) => p95Seconds,
      text: (seconds) =>
        Number.isFinite(seconds) ? `${formats.decimal(seconds * 1000)} ms` : 'over 5,000 ms',
    },
  ];
}
