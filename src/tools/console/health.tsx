// Health in full: the verdict, the service's own figures, its backups.

import type { Status } from '../../hosts/operations/status.js';
import { Backups } from './backups.js';
import { Facts, Frame, page, type View } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS, withQuery } from './paths.js';
import { VerdictNotice } from './verdict.js';

/** While a backup is running. */
const REFRESH_MS = 2_000;

export function registerHealth(app: App, { service, status: port, clock, log }: ConsoleParts) {
  app.get(PATHS.health, async (context) => {
    const view = context.get('view');
    const [health, status] = await Promise.all([service.client.health(), port.status()]);
    const known = typeof status === 'object' ? status : undefined;
    const refreshMs = known?.backups?.under_way ? REFRESH_MS : undefined;
    const text = (
      <Frame view={view} title="Health" current="health" refreshMs={refreshMs}>
        <h1>Health</h1>
        <VerdictNotice view={view} health={health} status={status} />
        {known && (
          <>
            <section>
              <h2>Service</h2>
              <StatusFacts view={view} status={known} />
            </section>
            <Backups
              view={view}
              backups={known.backups}
              now={clock()}
              request={port.takesKey ? 'button' : 'command'}
              asked={context.req.query('asked')}
            />
          </>
        )}
      </Frame>
    );
    return context.html(page(text));
  });

  app.post(PATHS.backUp, async (context) => {
    const asked = (await port.backUp()) ?? 'none';
    log.info('console_backup_asked', { answer: asked });
    return context.redirect(`${withQuery(PATHS.health, { asked })}#backups`, 303);
  });
}

/** Also for a service that is down, from its last answer. */
export function StatusFacts({ view, status }: { readonly view: View; readonly status: Status }) {
  const { formats } = view;
  const { requests, database, process, admin_keys: keys, backups } = status;
  const count = (value: number | null) => formats.number(value ?? 0);
  const time = (text: string | null | undefined) => (text ? formats.time(text) : '–');
  const refused = `${count(keys.refused)}, the last at ${time(keys.last_refused_at)}; the log has the addresses under admin_key_refused`;
  return (
    <Facts
      rows={[
        ['Ready', status.ready ? 'yes' : `no: ${status.reasons.join(', ')}`],
        ['Version', `${status.version}, ${status.runtime}`],
        ['Started', time(status.started_at)],
        ['Requests', `${count(requests.total)}, of which ${count(requests.failed)} failed`],
        ['Writes waiting', count(status.writes.waiting)],
        ['Memory', formats.bytes(process.resident_bytes)],
        ['Database file', formats.bytes(database.bytes)],
        ['Write-ahead log', formats.bytes(database.log_bytes)],
        ['Free disk space', formats.bytes(database.disk_free_bytes)],
        ['Last backup', backups === null ? 'not set up' : time(backups.last_success_at)],
        ['Refused admin keys', keys.refused === 0 ? 'none' : refused],
      ]}
    />
  );
}
