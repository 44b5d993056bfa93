// The overview page: health, counts, requests of the last hour, and the latest changes.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { ServiceStatus } from '../../hosts/operations/status.js';
import type { Overview } from '../../operator-client.js';
import { AuditTable } from './audit.js';
import { searchAudit } from './audit-search.js';
import type { App, ConsoleDeps } from './deps.js';
import { ageText, bytesText, clockText, counted, numberText, roundedText } from './formats.js';
import { VerdictNotice } from './health.js';
import { Frame, Search } from './layout.js';
import { PATHS } from './paths.js';
import { HEADINGS } from './properties.js';
import { readStatus } from './service-requests.js';

type Minute = ServiceStatus['last_hour'][number];

const CHANGES_MAX = 8;
/** The plot's bars, one for each minute, and their width. */
const MINUTES = 60;
const BAR = 12;
const HEIGHT = 90;
const GAP = 1;
/** Keeps any count above 0 visible. */
const MIN_HEIGHT = 2;

export function registerOverview(app: App, deps: ConsoleDeps): void {
  const { client, opsUrl } = deps;
  app.get(PATHS.overview, async (context) => {
    const [overview, health, changes, status] = await Promise.all([
      client.overview(),
      client.health(),
      // Only one page of the log, so the count of an import among the changes may be incomplete.
      searchAudit(client, {}, { pagesMax: 1 }),
      readStatus(opsUrl),
    ]);
    const known = typeof status === 'object' ? status : undefined;
    return context.html(
      <Frame title="Overview" current="overview">
        <h1>Overview</h1>
        <VerdictNotice health={health} status={status} />
        <Figures overview={overview} status={known} />
        <Search path={PATHS.accounts} q="" label="Find an account by name or subject" />
        {known && <LastHour minutes={known.last_hour} />}
        <section>
          <h2>Latest changes by the operator</h2>
          <AuditTable found={changes} max={CHANGES_MAX} label="Latest changes by the operator" />
          <p>
            <a href={PATHS.audit}>{`All ${numberText(changes.total)} changes`}</a>
          </p>
        </section>
      </Frame>,
    );
  });
}

/** `status`: undefined if it isn't known. */
function Figures({ overview, status }: { overview: Overview; status: ServiceStatus | undefined }) {
  const backup = status?.backups?.last_success_at;
  const figures = [
    ['Accounts', numberText(overview.tenant_count)],
    ['Records', numberText(overview.record_count)],
    ['Database file', bytesText(status?.database.bytes ?? null)],
    ['Last backup', backup ? ageText(backup) : '–'],
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

/** `minutes`: oldest first; the last one isn't over. */
function LastHour({ minutes }: { readonly minutes: readonly Minute[] }) {
  const sum = (of: (minute: Minute) => number) =>
    minutes.reduce((total, minute) => total + of(minute), 0);
  const [requests, failed] = [sum((minute) => minute.requests), sum((minute) => minute.failed)];
  const highest = (name: string, of: (minute: Minute) => number, unit = '') => {
    const [minute] = minutes.toSorted((a, b) => of(b) - of(a));
    if (minute === undefined || of(minute) === 0) return '';
    const at = clockText(minute.from);
    return ` ${name} at most ${roundedText(of(minute))}${unit}, at ${at}.`;
  };
  return (
    <section>
      <h2>Last hour</h2>
      <p>
        {`${counted(requests, 'request')}, of which ${numberText(failed)} failed (status 500 or above).`}
        {highest('Requests a minute', (minute) => minute.requests)}
        {highest('p95', (minute) => (minute.p95_seconds ?? 0) * 1000, ' ms')}
        {highest('Errors a minute', (minute) => minute.failed)}
      </p>
      <Plot minutes={minutes} />
      <p class="axis caption" aria-hidden="true">
        <span>an hour ago</span>
        <span>requests a minute</span>
        <span>now</span>
      </p>
    </section>
  );
}

/** Hidden from screen readers, because the text has the figures. */
function Plot({ minutes }: { readonly minutes: readonly Minute[] }) {
  const most = Math.max(...minutes.map(({ requests }) => requests), 1);
  const bar = (count: number, index: number, kind?: string) => {
    const height = Math.max(Math.round((HEIGHT * count) / most), MIN_HEIGHT);
    const x = (MINUTES - minutes.length + index) * BAR;
    const box = { x, y: HEIGHT - height, width: BAR - GAP, height };
    return count > 0 && <rect class={kind} {...box} />;
  };
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${MINUTES * BAR} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {minutes.map(({ requests }, index) => bar(requests, index))}
      {minutes.map(({ failed }, index) => bar(failed, index, 'errors'))}
    </svg>
  );
}
