// The sections of the overview that draw: what the collections hold, what was
// created lately, and the totals that this console has sampled.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { Overview, Usage } from '../../operator-client.js';
import { HEADINGS } from './labels.js';
import { Head, Scroll, type View } from './layout.js';
import { Bar, TotalsLine } from './plots.js';
import type { Seen, TotalsSample } from './watch.js';

interface UsageProps {
  readonly view: View;
  readonly usage: Seen<Usage> | undefined;
}

export function ByCollection({
  view,
  overview,
  usage,
}: UsageProps & { readonly overview: Overview }) {
  const { formats } = view;
  const max = Math.max(...COLLECTION_NAMES.map((name) => overview.resources[name]));
  return (
    <section>
      <h2>Records by collection</h2>
      <Scroll label="Records by collection">
        <table>
          <Head names={['Collection', 'Share']} numbers={['Records', 'Size']} />
          <tbody>
            {COLLECTION_NAMES.map((name) => (
              <tr>
                <th scope="row">{HEADINGS[name]}</th>
                <td class="wide">
                  <Bar value={overview.resources[name]} max={max} />
                </td>
                <td class="number">{formats.number(overview.resources[name])}</td>
                <td class="number">
                  {usage ? formats.bytes(usage.view.resources[name].payload_bytes) : '…'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <UsageTime view={view} usage={usage} />
    </section>
  );
}

export function CreatedLately({ view, usage }: UsageProps) {
  const { formats } = view;
  const resources = Object.values(usage?.view.resources ?? {});
  const sum = (of: (resource: (typeof resources)[number]) => number) =>
    resources.reduce((total, resource) => total + of(resource), 0);
  const times = [
    { days: 1, label: '24 hours', created: sum((resource) => resource.created_last_24_hours) },
    { days: 7, label: '7 days', created: sum((resource) => resource.created_last_7_days) },
    { days: 30, label: '30 days', created: sum((resource) => resource.created_last_30_days) },
  ];
  const most = Math.max(...times.map(({ created }) => created));
  return (
    <section>
      <h2>Created lately</h2>
      {usage && most === 0 && <p class="empty">Nothing was created in the last 30 days.</p>}
      {usage && most > 0 && (
        <>
          <table>
            <Head names={['In the last', 'Share']} numbers={['Records', 'A day']} />
            <tbody>
              {times.map(({ days, label, created }) => (
                <tr>
                  <th scope="row">{label}</th>
                  <td class="wide">
                    <Bar value={created} max={most} />
                  </td>
                  <td class="number">{formats.number(created)}</td>
                  <td class="number">{formats.decimal(created / days)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="caption">Records that were deleted since are not counted.</p>
        </>
      )}
      <UsageTime view={view} usage={usage} />
    </section>
  );
}

function UsageTime({ view, usage }: UsageProps) {
  const { formats } = view;
  return (
    <p class="caption">
      {usage
        ? `As asked at ${formats.clock(usage.at)}; asked again once a minute.`
        : 'The service is counting. Look again in a moment.'}
    </p>
  );
}

export function Totals({
  view,
  totals,
}: {
  readonly view: View;
  readonly totals: readonly TotalsSample[];
}) {
  const { formats } = view;
  const counts = totals.map(({ records }) => records);
  const [lowest, highest] = [Math.min(...counts), Math.max(...counts)];
  const rows = [
    ['First', counts[0]],
    ['Latest', counts.at(-1)],
    ['Lowest', lowest],
    ['Highest', highest],
  ] as const;
  return (
    <section>
      <h2>Records since the console runs</h2>
      {totals.length < 2 ? (
        <p class="empty">The line begins with the second sample, a minute after the start.</p>
      ) : (
        <>
          {lowest === highest ? (
            <p>{`${formats.number(highest)} all the time.`}</p>
          ) : (
            <>
              <TotalsLine samples={totals} />
              <table class="across">
                <tbody>
                  <tr>
                    {rows.map(([name]) => (
                      <th scope="col">{name}</th>
                    ))}
                  </tr>
                  <tr>
                    {rows.map(([, count]) => (
                      <td>{formats.number(count ?? 0)}</td>
                    ))}
                  </tr>
                </tbody>
              </table>
            </>
          )}
          <p class="caption">
            {`${formats.number(totals.length)} samples that this console took, one a minute, since ${formats.time(totals[0]?.at ?? 0)}. It knows nothing from before.`}
          </p>
        </>
      )}
    </section>
  );
}
