// Health in full: the verdict and the service's own figures.

import type { Status } from '../../hosts/operations/status.js';
import { ageText, bytesText, numberText, timeText } from './formats.js';
import { Facts, Frame, page } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS } from './paths.js';
import { readStatus } from './status.js';
import { VerdictNotice } from './verdict.js';

export function registerHealth(app: App, { client, opsUrl }: ConsoleParts): void {
  app.get(PATHS.health, async (context) => {
    const [health, status] = await Promise.all([client.health(), readStatus(opsUrl)]);
    const text = (
      <Frame view={context.get('view')} title="Health" current="health">
        <h1>Health</h1>
        <VerdictNotice health={health} status={status} />
        {typeof status === 'object' && (
          <section>
            <h2>Service</h2>
            <Facts rows={factsOf(status)} />
          </section>
        )}
      </Frame>
    );
    return context.html(page(text));
  });
}

function factsOf(status: Status): readonly (readonly [string, string])[] {
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

function backupText(backups: Status['backups']): string {
  if (backups === null) return 'not set up';
  const { last_success_at: at, last_success_bytes: bytes, folder } = backups;
  if (at === null) return `none yet; they go into ${folder}`;
  return `${timeText(at)}, ${ageText(Date.parse(at))}, ${bytesText(bytes)}, in ${folder}`;
}
