// Health in full: the verdict, what the service says of itself, its backups.

import type { Status } from '../../hosts/operations/status.js';
import type { AdminHealth } from '../../operator-client.js';
import { Backups } from './backups.js';
import { Facts, Frame, page, type View } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS, withQuery } from './paths.js';
import { type BackupAnswer, isBackupAnswer, type StatusOrReason } from './status-port.js';
import { VerdictNotice } from './verdict.js';

/** While a backup is being taken. */
const REFRESH_MS = 2_000;

export function registerHealth(app: App, { service, status, clock, log }: ConsoleParts): void {
  app.get(PATHS.health, async (context) => {
    const [health, answer] = await Promise.all([service.client.health(), status.status()]);
    const asked = context.req.query('asked');
    const props = {
      view: context.get('view'),
      health,
      status: answer,
      now: clock(),
      takesKey: status.takesKey,
      asked: isBackupAnswer(asked) ? asked : undefined,
    };
    return context.html(page(<HealthPage {...props} />));
  });

  app.post(PATHS.backUp, async (context) => {
    const asked = await status.backUp();
    log.info('console_backup_asked', { answer: asked });
    return context.redirect(`${withQuery(PATHS.health, { asked })}#backups`, 303);
  });
}

interface HealthProps {
  readonly view: View;
  readonly health: AdminHealth;
  readonly status: StatusOrReason;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** A backup can be requested from here. */
  readonly takesKey: boolean;
  readonly asked: BackupAnswer | undefined;
}

function HealthPage(props: HealthProps) {
  const { view, health, status, now, takesKey, asked } = props;
  const known = typeof status === 'object' ? status : undefined;
  return (
    <Frame
      view={view}
      title="Health"
      current="health"
      refreshMs={known?.backups?.under_way ? REFRESH_MS : undefined}
    >
      <h1>Health</h1>
      <VerdictNotice {...props} />
      <section>
        <h2>Service</h2>
        {known === undefined ? (
          <Facts
            rows={[
              ['Database', health.database],
              ['Running for', view.formats.duration(health.uptime_seconds)],
            ]}
          />
        ) : (
          <StatusFacts view={view} status={known} />
        )}
      </section>
      {known && (
        <Backups
          view={view}
          backups={known.backups}
          now={now}
          request={takesKey ? 'button' : 'command'}
          asked={asked}
        />
      )}
    </Frame>
  );
}

/** Also for a service that is away, from its last answer. */
export function StatusFacts({ view, status }: { readonly view: View; readonly status: Status }) {
  const { formats } = view;
  const { requests, database, process, admin_keys: keys, backups } = status;
  const last = keys.newest[0];
  const refused = formats.number(keys.refused);
  const time = (text: string | null | undefined) => (text ? formats.time(text) : '–');
  return (
    <Facts
      rows={[
        ['Ready', status.ready ? 'yes' : `no: ${status.reasons.join(', ')}`],
        ['Version', `${status.version}, ${status.runtime}`],
        ['Started', time(status.started_at)],
        [
          'Requests',
          `${formats.number(requests.total)}, of which ${formats.number(requests.failed)} failed`,
        ],
        ['Writes waiting', formats.number(status.writes.waiting ?? 0)],
        ['Memory', formats.bytes(process.resident_bytes)],
        ['Database file', formats.bytes(database.bytes)],
        ['Write-ahead log', formats.bytes(database.log_bytes)],
        ['Free disk space', formats.bytes(database.disk_free_bytes)],
        ['Last backup', backups === null ? 'not set up' : time(backups.last_success_at)],
        [
          'Refused admin keys',
          last === undefined
            ? 'none'
            : `${refused}, the last at ${time(last.to)}; admin_key_refused in the log has the addresses`,
        ],
      ]}
    />
  );
}
