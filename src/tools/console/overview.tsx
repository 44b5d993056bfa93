// The overview: whether the service is healthy, what it holds, what changed lately.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { Status } from '../../hosts/operations/status.js';
import type { Overview } from '../../operator-client.js';
import { searchAudit } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { ageText, bytesText, numberText } from './formats.js';
import { LastHour } from './hour.js';
import { Frame, page, Search } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS } from './paths.js';
import { HEADINGS } from './properties.js';
import { readStatus } from './status.js';
import { VerdictNotice } from './verdict.js';

/** One request, so an import among the latest changes may be counted in part. */
const CHANGES_LIMITS = { requestsMax: 1, rowsMax: 8 };

export function registerOverview(app: App, parts: ConsoleParts): void {
  const { client, opsUrl } = parts;
  app.get(PATHS.overview, async (context) => {
    const [overview, health, changes, status] = await Promise.all([
      client.overview(),
      client.health(),
      searchAudit(client, {}, CHANGES_LIMITS),
      readStatus(opsUrl),
    ]);
    const known = typeof status === 'object' ? status : undefined;
    const text = (
      <Frame view={context.get('view')} title="Overview" current="overview">
        <h1>Overview</h1>
        <VerdictNotice health={health} status={status} />
        <Figures overview={overview} status={known} />
        <Search path={PATHS.accounts} q="" label="Find an account" />
        {known && <LastHour minutes={known.last_hour} />}
        <section>
          <h2>Latest changes by the operator</h2>
          <AuditTable found={changes} label="Latest changes by the operator" />
          <p>
            <a href={PATHS.audit}>{`All ${numberText(changes.total)} changes`}</a>
          </p>
        </section>
      </Frame>
    );
    return context.html(page(text));
  });
}

/** `status`: undefined if it isn't known. */
function Figures({ overview, status }: { overview: Overview; status: Status | undefined }) {
  const backup = status?.backups?.last_success_at;
  const figures = [
    ['Accounts', numberText(overview.tenant_count)],
    ['Records', numberText(overview.record_count)],
    ['Database file', bytesText(status?.database.bytes ?? null)],
    ['Last backup', backup ? ageText(Date.parse(backup)) : '–'],
  ] as const;
  const counts = COLLECTION_NAMES.map(
    (name) => `${HEADINGS[name]} ${numberText(overview.resources[name])}`,
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
