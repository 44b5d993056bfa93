// The overview: is the service well, what does it hold, what changed lately.

import type { AdminHealth, Overview, Usage } from '../../operator-client.js';
import type { FoundEvents } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { LastHourSection } from './hour-section.js';
import type { Stretch } from './last-hour.js';
import { Facts, Frame, Search, type View } from './layout.js';
import type { KeyFacts } from './operations-facts.js';
import type { FactsOrReason } from './operations-port.js';
import { ByCollection, CreatedLately, Totals } from './overview-sections.js';
import { PATHS } from './paths.js';
import { capital, VerdictNotice } from './verdict.js';
import { type Seen, type TotalsSample, WATCH_INTERVAL_MS } from './watch.js';

/** Rows. */
export const CHANGES_MAX = 8;

export interface OverviewProps {
  readonly view: View;
  readonly overview: Overview;
  readonly health: AdminHealth;
  readonly changes: FoundEvents;
  readonly usage: Seen<Usage> | undefined;
  readonly totals: readonly TotalsSample[];
  readonly operations: FactsOrReason;
  readonly stretches: readonly Stretch[];
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
}

export function OverviewPage(props: OverviewProps) {
  const { view, overview, changes, usage, totals, operations, stretches, now } = props;
  const { words, formats } = view;
  return (
    <Frame
      view={view}
      title={words.overview.title}
      current="overview"
      refreshMs={WATCH_INTERVAL_MS}
    >
      <div class="title">
        <h1>{words.overview.title}</h1>
        <label class="switch" hidden>
          <input type="checkbox" data-refresh-switch />
          {words.overview.refresh}
        </label>
      </div>
      <VerdictNotice {...props} />
      <Figures {...props} />
      <Search
        view={view}
        path={PATHS.accounts}
        q=""
        label={words.overview.find}
        hint={words.accounts.searchHint}
      />
      {typeof operations === 'object' && (
        <LastHourSection view={view} stretches={stretches} until={now} />
      )}
      <div class="columns">
        <ByCollection view={view} overview={overview} usage={usage} />
        <CreatedLately view={view} usage={usage} />
        <Totals view={view} totals={totals} />
        <OperationsSummary {...props} />
      </div>
      <section>
        <h2>{words.overview.changes}</h2>
        {changes.events.length === 0 ? (
          <p class="empty">{words.overview.noChanges}</p>
        ) : (
          <>
            <AuditTable
              view={view}
              found={changes}
              max={CHANGES_MAX}
              caption={words.overview.changes}
            />
            <p>
              <a href={PATHS.audit}>{words.overview.allChanges(formats.number(changes.total))}</a>
            </p>
          </>
        )}
      </section>
    </Frame>
  );
}

function Figures({ view, overview, usage }: OverviewProps) {
  const { words, formats } = view;
  const resources = Object.values(usage?.view.resources ?? {});
  const today = resources.reduce((sum, { created_last_24_hours: some }) => sum + some, 0);
  const figures = [
    [words.overview.accounts, formats.number(overview.tenant_count)],
    [words.overview.records, formats.number(overview.record_count)],
    [words.overview.bytes, usage ? formats.bytes(usage.view.payload_bytes) : '…'],
    [words.overview.createdToday, usage ? formats.number(today) : '…'],
  ] as const;
  return (
    <>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {overview.record_count === 0 && <p class="empty">{words.overview.empty}</p>}
    </>
  );
}

function OperationsSummary({ view, operations }: OverviewProps) {
  const { words, formats } = view;
  if (operations === undefined || typeof operations === 'string') {
    return (
      <section>
        <h2>{words.overview.operations}</h2>
        <p class="empty">
          {operations === undefined ? words.overview.noOperations : `${capital(operations)}.`}
        </p>
      </section>
    );
  }
  const { status } = operations;
  const last = status.backups?.last_success_at;
  return (
    <section>
      <h2>{words.overview.operations}</h2>
      <Facts
        rows={[
          [words.overview.memory, formats.bytes(status.process.resident_bytes)],
          [
            words.overview.lastBackup,
            status.backups === null
              ? words.overview.noBackups
              : last
                ? formats.time(last)
                : words.overview.neverBackedUp,
          ],
          ...(status.admin_keys
            ? ([[words.keys.row, refusedText(status.admin_keys, view)]] as const)
            : []),
        ]}
      />
    </section>
  );
}

function refusedText({ refused, newest }: KeyFacts, { words, formats }: View): string {
  const last = newest[0];
  return last === undefined
    ? words.keys.rowNone
    : words.keys.rowValue(formats.number(refused), formats.time(last.to));
}
