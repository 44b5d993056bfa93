// The overview: is the service healthy, what does it hold, what changed lately.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AdminHealth, Overview, Usage } from '../../operator-client.js';
import { type FoundEvents, searchAudit } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { LastHour } from './hour.js';
import { Frame, page, Search, Table, type View } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS } from './paths.js';
import { HEADINGS } from './properties.js';
import type { Seen, StatusOrReason } from './status-port.js';
import { VerdictNotice } from './verdict.js';
import { WATCH_INTERVAL_MS } from './watch.js';

/** One request: an import among the latest changes may go on before its events. */
const CHANGES_LIMITS = { requestsMax: 1, rowsMax: 8 };

export function registerOverview(app: App, parts: ConsoleParts): void {
  const { service, watch, status, clock, formats } = parts;
  const { client } = service;
  app.get(PATHS.overview, async (context) => {
    const [overview, health, changes, answer] = await Promise.all([
      client.overview(),
      client.health(),
      searchAudit(client, {}, { ...CHANGES_LIMITS, dayOf: formats.day }),
      status.status(),
    ]);
    watch.saw(overview);
    const props = { overview, health, changes, status: answer, usage: watch.usage() };
    return context.html(page(<OverviewPage view={context.get('view')} {...props} now={clock()} />));
  });
}

interface OverviewProps {
  readonly view: View;
  readonly overview: Overview;
  readonly health: AdminHealth;
  readonly changes: FoundEvents;
  readonly status: StatusOrReason;
  readonly usage: Seen<Usage> | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
}

function OverviewPage(props: OverviewProps) {
  const { view, changes, status, now } = props;
  return (
    <Frame view={view} title="Overview" current="overview" refreshMs={WATCH_INTERVAL_MS}>
      <div class="title">
        <h1>Overview</h1>
        <label class="switch" hidden>
          <input type="checkbox" data-refresh-switch />
          Refresh every minute
        </label>
      </div>
      <VerdictNotice {...props} />
      <Figures {...props} />
      <Search
        path={PATHS.accounts}
        q=""
        label="Find an account"
        hint="Name, subject, phone or record id"
      />
      {typeof status === 'object' && <LastHour view={view} minutes={status.last_hour} now={now} />}
      <Collections {...props} />
      <section>
        <h2>Latest changes by the operator</h2>
        {changes.rows.length === 0 ? (
          <p class="empty">None yet.</p>
        ) : (
          <>
            <AuditTable view={view} found={changes} label="Latest changes by the operator" />
            <p>
              <a href={PATHS.audit}>{`All ${view.formats.number(changes.total)} changes`}</a>
            </p>
          </>
        )}
      </section>
    </Frame>
  );
}

function Figures({ view, overview, usage }: OverviewProps) {
  const { formats } = view;
  const created = Object.values(usage?.answer.resources ?? {}).reduce(
    (sum, { created_last_24_hours: count }) => sum + count,
    0,
  );
  const figures = [
    ['Accounts', formats.number(overview.tenant_count)],
    ['Records', formats.number(overview.record_count)],
    ['Size of the records', usage ? formats.bytes(usage.answer.payload_bytes) : '…'],
    ['Created in 24 hours', usage ? formats.number(created) : '…'],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Collections({ view, overview, usage }: OverviewProps) {
  const { formats } = view;
  const rows = COLLECTION_NAMES.map((name) => {
    const counts = usage?.answer.resources[name];
    return [
      HEADINGS[name],
      formats.number(overview.resources[name]),
      counts ? formats.bytes(counts.payload_bytes) : '…',
      counts ? formats.number(counts.created_last_24_hours) : '…',
      counts ? formats.number(counts.created_last_7_days) : '…',
      counts ? formats.number(counts.created_last_30_days) : '…',
    ];
  });
  return (
    <section>
      <h2>Records</h2>
      <Table
        label="Records by collection"
        columns={['Collection', 'Records', 'Size', '24 hours', '7 days', '30 days']}
        numbers={5}
        rows={rows}
      />
      <p class="caption">
        {usage
          ? `Created in the last 24 hours, 7 and 30 days and still there; as of ${formats.clock(usage.at)}.`
          : 'The service is still counting; refresh in a moment.'}
      </p>
    </section>
  );
}
