// A year on a file with backups: another disk at its place, and the file deleted under the service.

import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { privateMounts } from '../../support/private-mounts.js';
import { restoreNewest } from './lost-files.js';
import { CHANGES } from './machine.js';
import type { Row, YearEvent } from './row.js';
import { EARLIER, refusedStart } from './starts.js';

export const wrongMount: YearEvent = {
  name: 'another disk, an empty one, is mounted at the data folder',
  days: 20,
  lacks: () => (privateMounts() === undefined ? 'this user may not mount' : undefined),
  async happen(row) {
    const { machine } = row;
    await machine.end();
    const mount = 'mount -t tmpfs -o size=40000000 tmpfs "$0" && exec "$@"';
    const under = [...(privateMounts() ?? []), 'sh', '-c', mount, dirname(machine.file)];
    await refusedStart(row, EARLIER, { under });
    // The right disk is there again.
    await machine.start();
    await row.compared();
  },
};

export const fileGone: YearEvent = {
  name: 'the database file is deleted under the running service',
  days: 20,
  async happen(row) {
    const { machine } = row;
    row.begin();
    renameSync(machine.file, join(machine.folder, 'gone.db'));
    await untilNotReady(row);
    const { ready, statuses, alerts } = await row.look();
    const reasons = ready?.reasons ?? [];
    row.expect(reasons.includes('storage_lost'), '/ready does not say storage_lost');
    row.expect(statuses[1] !== 201, 'a write is 201');
    row.expectAlert(alerts, 'ServiceNotReady', 'ServiceDown');
    await machine.clients.change(CHANGES);
    await machine.end();
    await refusedStart(row, EARLIER);
    await putSavedInPlace(row);
  },
};

const SIGNS_MAX_MS = 15_000;

/** Within seconds; a service that does not notice is looked at as it is. */
export async function untilNotReady(row: Row) {
  const until = performance.now() + SIGNS_MAX_MS;
  while (performance.now() < until) {
    const status = await fetch(`${row.machine.operations}/ready`).then(
      (response) => response.status,
      () => 0,
    );
    if (status !== 200) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  row.seen();
}

/** What memory had was saved beside the place of the file: restored as a backup is. */
async function putSavedInPlace(row: Row) {
  const { machine } = row;
  const saved = machine.log.findLast(({ event }) => event === 'database_saved');
  row.expect(saved !== undefined, 'nothing was saved');
  if (saved === undefined) {
    await restoreNewest(row);
    return;
  }
  const { code, stderr } = await machine.run(['restore', String(saved['file'])]);
  row.expect(code === 0, `the saved copy cannot be restored: ${stderr}`);
  await machine.start();
  await row.compared();
}
