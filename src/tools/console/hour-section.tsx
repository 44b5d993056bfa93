// The last hour: requests, errors and latency, drawn and in figures.

import type { Stretch } from './last-hour.js';
import { Scroll, type View } from './layout.js';
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
  const { words, formats } = view;
  const text = words.hour;
  const first = stretches[0];
  const sum = (of: (stretch: Stretch) => number) =>
    formats.number(stretches.reduce((total, stretch) => total + of(stretch), 0));
  return (
    <section>
      <h2>{text.title}</h2>
      {first === undefined ? (
        <p class="empty">{text.soon}</p>
      ) : (
        <>
          <Plots view={view} stretches={stretches} until={until} />
          <p class="caption">
            {text.sum(
              sum(({ requests }) => requests),
              sum(({ failed }) => failed),
              formats.clock(first.from),
            )}
          </p>
        </>
      )}
    </section>
  );
}

function Plots({ view, stretches, until }: LastHourProps) {
  const text = view.words.hour;
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
              <span>{text.from}</span>
              <span>{text.to}</span>
            </p>
          </div>
        ))}
      </div>
      <Scroll label={text.title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.figure}</th>
              <th scope="col" class="number">
                {text.latest}
              </th>
              <th scope="col" class="number">
                {text.highest}
              </th>
              <th scope="col" class="number">
                {text.when}
              </th>
            </tr>
          </thead>
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

function rowsOf({ words: { hour }, formats }: View): readonly Row[] {
  const perMinute = (count: number, { from, to }: Stretch) => (60_000 * count) / (to - from);
  return [
    {
      name: hour.requests,
      kind: 'calls',
      value: (stretch) => perMinute(stretch.requests, stretch),
      text: formats.decimal,
    },
    {
      name: hour.failed,
      kind: 'errors',
      value: (stretch) => perMinute(stretch.failed, stretch),
      text: formats.decimal,
    },
    {
      name: hour.latency,
      kind: 'times',
      value: ({ p95Seconds }) => p95Seconds,
      text: (seconds) =>
        Number.isFinite(seconds) ? hour.milliseconds(formats.decimal(seconds * 1000)) : hour.beyond,
    },
  ];
}
