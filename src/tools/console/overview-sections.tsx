// The sections of the overview that draw: what the collections hold, what was
// created lately, and the totals that this console has sampled.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { Overview, Usage } from '../../operator-client.js';
import { Scroll, type View } from './layout.js';
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
  const { words, formats } = view;
  const max = Math.max(...COLLECTION_NAMES.map((name) => overview.resources[name]));
  return (
    <section>
      <h2>{words.overview.byCollection}</h2>
      <Scroll label={words.overview.byCollection}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.overview.collection}</th>
              <th scope="col">{words.overview.share}</th>
              <th scope="col" class="number">
                {words.overview.records}
              </th>
              <th scope="col" class="number">
                {words.overview.size}
              </th>
            </tr>
          </thead>
          <tbody>
            {COLLECTION_NAMES.map((name) => (
              <tr>
                <th scope="row">{words.collections[name]}</th>
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
  const { words, formats } = view;
  const resources = Object.values(usage?.view.resources ?? {});
  const sum = (of: (resource: (typeof resources)[number]) => number) =>
    resources.reduce((total, resource) => total + of(resource), 0);
  const times = [
    { days: 1, created: sum((resource) => resource.created_last_24_hours) },
    { days: 7, created: sum((resource) => resource.created_last_7_days) },
    { days: 30, created: sum((resource) => resource.created_last_30_days) },
  ];
  const most = Math.max(...times.map(({ created }) => created));
  return (
    <section>
      <h2>{words.overview.lately}</h2>
      {usage && most === 0 && <p class="empty">{words.overview.noneLately}</p>}
      {usage && most > 0 && (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.overview.latelyWhen}</th>
                <th scope="col">{words.overview.share}</th>
                <th scope="col" class="number">
                  {words.overview.latelyCount}
                </th>
                <th scope="col" class="number">
                  {words.overview.latelyRate}
                </th>
              </tr>
            </thead>
            <tbody>
              {times.map(({ days, created }, index) => (
                <tr>
                  <th scope="row">{words.overview.latelyTimes[index]}</th>
                  <td class="wide">
                    <Bar value={created} max={most} />
                  </td>
                  <td class="number">{formats.number(created)}</td>
                  <td class="number">{formats.decimal(created / days)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="caption">{words.overview.latelyCaption}</p>
        </>
      )}
      <UsageTime view={view} usage={usage} />
    </section>
  );
}

function UsageTime({ view, usage }: UsageProps) {
  const { words, formats } = view;
  return (
    <p class="caption">
      {usage ? words.overview.usageAt(formats.clock(usage.at)) : words.overview.usageNone}
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
  const { words, formats } = view;
  const counts = totals.map(({ records }) => records);
  const [lowest, highest] = [Math.min(...counts), Math.max(...counts)];
  const rows = [
    [words.overview.first, counts[0]],
    [words.overview.latest, counts.at(-1)],
    [words.overview.lowest, lowest],
    [words.overview.highest, highest],
  ] as const;
  return (
    <section>
      <h2>{words.overview.totals}</h2>
      {totals.length < 2 ? (
        <p class="empty">{words.overview.totalsSoon}</p>
      ) : (
        <>
          {lowest === highest ? (
            <p>{words.overview.totalsSame(formats.number(highest))}</p>
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
            {words.overview.totalsCaption(
              formats.number(totals.length),
              formats.time(totals[0]?.at ?? 0),
            )}
          </p>
        </>
      )}
    </section>
  );
}
