// The health page: a one-sentence verdict, each reason and warning with its meaning and remedy, and
// the service's own figures. Only the verdict is ever green.

import { HEALTH_ISSUES, type HealthIssue } from '../../hosts/operations/health-issues.js';
import type { ServiceStatus } from '../../hosts/operations/status.js';
import type { AdminHealth } from '../../operator-client.js';
import type { App, ConsoleDeps } from './deps.js';
import { ageText, bytesText, numberText, timeText } from './formats.js';
import { DescriptionList, Frame, Notice } from './layout.js';
import { PATHS } from './paths.js';
import { readStatus, type StatusOrReason } from './service-requests.js';

export function registerHealth(app: App, { client, opsUrl }: ConsoleDeps): void {
  app.get(PATHS.health, async (context) => {
    const [health, status] = await Promise.all([client.health(), readStatus(opsUrl)]);
    return context.html(
      <Frame title="Health" current="health">
        <h1>Health</h1>
        <VerdictNotice health={health} status={status} />
        {typeof status === 'object' && (
          <section>
            <h2>Service</h2>
            <DescriptionList rows={statusRows(status)} />
          </section>
        )}
      </Frame>,
    );
  });
}

function statusRows(status: ServiceStatus): readonly (readonly [string, string])[] {
  const { requests, database, process, admin_keys: keys, backups } = status;
  const count = (value: number | null) => numberText(value ?? 0);
  const time = (text: string | null) => (text === null ? '–' : timeText(text));
  const refused = `${count(keys.refused)}, the last at ${time(keys.last_refused_at)}; the log has the addresses under admin_key_refused`;
  return [
    ['Ready', status.ready ? 'yes' : `no: ${status.reasons.join(', ')}`],
    ['Version', `${status.version}, ${status.runtime}`],
    ['Started', time(status.started_at)],
    ['Requests', `${count(requests.total)}, of which ${count(requests.failed)} failed`],
    ['Writes waiting', count(status.writes.waiting)],
    ['Memory', bytesText(process.resident_bytes)],
    ['Database file', bytesText(database.bytes)],
    ['Write-ahead log', bytesText(database.log_bytes)],
    ['Free disk space', bytesText(database.disk_free_bytes)],
    ['Last backup', backupText(backups)],
    ['Refused admin keys', keys.refused === 0 ? 'none' : refused],
  ];
}

function backupText(backups: ServiceStatus['backups']): string {
  if (backups === null) return 'not set up';
  const { last_success_at: at, last_success_bytes: bytes, folder } = backups;
  if (at === null) return `none yet; they go into ${folder}`;
  return `${timeText(at)}, ${ageText(at)}, ${bytesText(bytes)}, in ${folder}`;
}

/** Never healthy without `/status`, because the disk may be full or the provider down. */
function verdictOf(health: AdminHealth, status: StatusOrReason, names: readonly string[]) {
  if (health.status !== 'ok')
    return ['bad', 'The API responds, but its database does not'] as const;
  if (typeof status === 'object' && !status.ready) return ['bad', 'Not ready'] as const;
  // Either warning about the provider.
  if (names.some((name) => name.startsWith('identity_provider_'))) {
    return ['bad', 'Customers are refused'] as const;
  }
  if (status === undefined) {
    const sentence = 'The API responds. Set OPS_PORT to see whether disk and provider are healthy';
    return ['note', sentence] as const;
  }
  if (typeof status === 'string') {
    return ['note', 'The API responds, but its health is unknown'] as const;
  }
  if (names.length > 0) return ['note', 'Working, but needs attention'] as const;
  return ['good', 'Healthy'] as const;
}

export function VerdictNotice({ health, status }: { health: AdminHealth; status: StatusOrReason }) {
  const names = new Set(issuesOf(status));
  if (!health.identity_provider_configured) names.add('identity_provider_not_configured');
  const [kind, sentence] = verdictOf(health, status, [...names]);
  return (
    <Notice kind={kind}>
      <strong>{`${sentence}.`}</strong> {typeof status === 'string' && `${status}.`}
      <Issues names={[...names]} status={status} />
    </Notice>
  );
}

function issuesOf(status: StatusOrReason): readonly string[] {
  return typeof status === 'object' ? [...status.reasons, ...status.warnings] : [];
}

/** For a name from a newer release of the service. */
const UNKNOWN: HealthIssue = {
  meaning: 'This release of the console does not know this name.',
  action: "Read the page on readiness of the service's release.",
};

interface IssuesProps {
  readonly status: StatusOrReason;
  /** Default: those in the status. */
  readonly names?: readonly string[];
}

export function Issues({ status, names = issuesOf(status) }: IssuesProps) {
  if (names.length === 0) return null;
  return (
    <ul>
      {names.map((name) => {
        const { meaning, action } = HEALTH_ISSUES.get(name) ?? UNKNOWN;
        const detail = typeof status === 'object' ? detailOf(name, status) : '';
        return (
          <li>
            <code>{name}</code>
            <p>
              <Prose text={meaning} />
              {detail !== '' && <strong> {detail}</strong>}
            </p>
            <p>
              <strong>What to do:</strong> <Prose text={action} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}

/** Since when and why, if the status says so. */
function detailOf(name: string, status: ServiceStatus): string {
  const { writes, identity, backups, database, replication } = status;
  const at = (time: string | null | undefined) => (time ? timeText(time) : 'unknown');
  const failure = backups?.last_failure;
  const details: Readonly<Record<string, string>> = {
    writes_failing: `Since ${at(writes.failing_since)}. Last reason: ${writes.failing_reason ?? 'unknown'}`,
    disk_full: `${bytesText(database.disk_free_bytes)} free.`,
    identity_provider_unavailable: `Since ${at(identity.unavailable_since ?? status.started_at)}.`,
    replica_unreachable: `Last reason: ${replication?.reason ?? 'unknown'}`,
    // The folder can't be written to, and no backup has failed yet.
    backup_failed: failure ? `${at(failure.at)}: ${failure.reason}` : '',
    backup_overdue: `Newest: ${at(backups?.last_success_at)}.`,
  };
  return details[name] ?? '';
}

/** Renders names in backticks as code. */
function Prose({ text }: { readonly text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
  );
}
