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
import { NoOperations, VerdictNotice } from './verdict.js';
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
  const { formats } = view;
  return (
    <Frame view={view} title="Overview" current="overview" refreshMs={WATCH_INTERVAL_MS}>
      <div class="title">
        <h1>Overview</h1>
        <label class="switch" hidden>
          <input type="checkbox" data-refresh-switch />
          Look again each minute
        </label>
      </div>
      <VerdictNotice {...props} />
      <Figures {...props} />
      <Search
        path={PATHS.accounts}
        q=""
        label="Find an account"
        hint="Subject, business, phone or record id"
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
        <h2>Latest operator changes</h2>
        {changes.events.length === 0 ? (
          <p class="empty">
            The operator has changed nothing yet. Each change from here will be listed.
          </p>
        ) : (
          <>
            <AuditTable
              view={view}
              found={changes}
              max={CHANGES_MAX}
              caption="Latest operator changes"
            />
            <p>
              <a href={PATHS.audit}>{`All ${formats.number(changes.total)} changes`}</a>
            </p>
          </>
        )}
      </section>
    </Frame>
  );
}

function Figures({ view, overview, usage }: OverviewProps) {
  const { formats } = view;
  const resources = Object.values(usage?.view.resources ?? {});
  const today = resources.reduce((sum, { created_last_24_hours: some }) => sum + some, 0);
  const figures = [
    ['Accounts', formats.number(overview.tenant_count)],
    ['Records', formats.number(overview.record_count)],
    ['Size of the records', usage ? formats.bytes(usage.view.payload_bytes) : '…'],
    ['Created in 24 hours', usage ? formats.number(today) : '…'],
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
      {overview.record_count === 0 && (
        <p class="empty">
          The service holds no record yet. Accounts appear here with their first record.
        </p>
      )}
    </>
  );
}

function OperationsSummary({ view, operations }: OverviewProps) {
  const { formats } = view;
  if (operations === undefined || typeof operations === 'string') {
    return (
      <section>
        <h2>Operations port</h2>
        <NoOperations reason={operations} />
      </section>
    );
  }
  const { status } = operations;
  const last = status.backups?.last_success_at;
  return (
    <section>
      <h2>Operations port</h2>
      <Facts
        rows={[
          ['Memory', formats.bytes(status.process.resident_bytes)],
          [
            'Last backup',
            status.backups === null
              ? 'no backups are set up'
              : last
                ? formats.time(last)
                : 'none yet',
          ],
          ...(status.admin_keys
            ? ([['Refused admin keys', refusedText(status.admin_keys, view)]] as const)
            : []),
        ]}
      />
    </section>
  );
}

function refusedText({ refused, newest }: KeyFacts, { formats }: View): string {
  const last = newest[0];
  return last === undefined
    ? 'none'
    : `${formats.number(refused)}, the last at ${formats.time(last.to)}`;
}
