// The overview: whether the service is healthy, what it holds, what changed lately.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { Status } from '../../hosts/operations/status.js';
import type { Overview } from '../../operator-client.js';
import { searchAudit } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { LastHour } from './hour.js';
import { Frame, page, Search, type View } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS } from './paths.js';
import { HEADINGS } from './properties.js';
import { WATCH_INTERVAL_MS } from './status-port.js';
import { VerdictNotice } from './verdict.js';

/** One request, so an import among the latest changes may be counted in part. */
const CHANGES_LIMITS = { requestsMax: 1, rowsMax: 8 };

export function registerOverview(app: App, parts: ConsoleParts): void {
  const { service, status: port, clock, formats } = parts;
  const { client } = service;
  app.get(PATHS.overview, async (context) => {
    const view = context.get('view');
    const [overview, health, changes, status] = await Promise.all([
      client.overview(),
      client.health(),
      searchAudit(client, {}, { ...CHANGES_LIMITS, dayOf: formats.day }),
      port.status(),
    ]);
    port.saw(overview);
    const now = clock();
    const known = typeof status === 'object' ? status : undefined;
    const text = (
      <Frame view={view} title="Overview" current="overview" refreshMs={WATCH_INTERVAL_MS}>
        <div class="title">
          <h1>Overview</h1>
          <label hidden>
            <input type="checkbox" data-refresh-switch /> Refresh every minute
          </label>
        </div>
        <VerdictNotice view={view} health={health} status={status} />
        <Figures {...{ formats, overview, status: known, now }} />
        <Search path={PATHS.accounts} q="" label="Find an account" />
        {known && <LastHour view={view} minutes={known.last_hour} now={now} />}
        <section>
          <h2>Latest changes by the operator</h2>
          <AuditTable view={view} found={changes} label="Latest changes by the operator" />
          <p>
            <a href={PATHS.audit}>{`All ${formats.number(changes.total)} changes`}</a>
          </p>
        </section>
      </Frame>
    );
    return context.html(page(text));
  });
}

interface FiguresProps extends Pick<View, 'formats'> {
  readonly overview: Overview;
  /** Undefined if it isn't known. */
  readonly status: Status | undefined;
  readonly now: number;
}

function Figures({ formats, overview, status, now }: FiguresProps) {
  const backup = status?.backups?.last_success_at;
  const figures = [
    ['Accounts', formats.number(overview.tenant_count)],
    ['Records', formats.number(overview.record_count)],
    ['Database file', formats.bytes(status?.database.bytes ?? null)],
    ['Last backup', backup ? formats.age(Date.parse(backup), now) : '–'],
  ] as const;
  const counts = COLLECTION_NAMES.map(
    (name) => `${HEADINGS[name]} ${formats.number(overview.resources[name])}`,
  );
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
      <p class="caption">{counts.join(' · ')}</p>
    </>
  );
}
