// A year on a file with backups: what happens to its place, its log and its clock.

import { mkdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { privateMounts } from '../../support/private-mounts.js';
import { CHANGES, type Machine } from './machine.js';
import type { Row } from './row.js';
import { refusedStart } from './starts.js';

export interface YearEvent {
  readonly name: string;
  /** Days of ordinary work before it. */
  readonly days: number;
  readonly happen: (row: Row) => Promise<void>;
  /** What this machine lacks for it; undefined where it can be made. */
  readonly lacks?: (machine: Machine) => string | undefined;
}

/** Restores the newest backup, as the page says, and starts. What was written since is gone, as the page says. */
export async function restoreNewest(row: Row): Promise<string> {
  const { machine } = row;
  const now = new Date(machine.clock.now()).toISOString().replaceAll(':', '-');
  // Not one from the future.
  const name = machine.backupNames().findLast((found) => found < `service-${now}`) ?? '';
  const { lost, stdout } = await machine.restore(name);
  await machine.start();
  row.lost(`${lost} acknowledged since the newest backup, as the page says`, true);
  await row.compared();
  return stdout;
}

export const EARLIER = /DATABASE_CREATE|restore/;

export const emptyFolder: YearEvent = {
  name: 'the data folder is empty at a start',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.end();
    const folder = dirname(machine.file);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await refusedStart(row, EARLIER);
    await restoreNewest(row);
  },
};

export const lostFolder: YearEvent = {
  name: 'the data folder is gone after kill -9, with the disk that it was on',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.clients.change(CHANGES);
    await machine.end('SIGKILL');
    rmSync(dirname(machine.file), { recursive: true });
    await refusedStart(row, EARLIER);
    await restoreNewest(row);
  },
};

export const emptyFile: YearEvent = {
  name: 'the database file has 0 bytes',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.end();
    truncateSync(machine.file, 0);
    await refusedStart(row, EARLIER);
    await restoreNewest(row);
  },
};

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

export const lostLog: YearEvent = {
  name: 'kill -9, and service.db-wal is deleted',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.clients.change(CHANGES);
    await machine.end('SIGKILL');
    rmSync(`${machine.file}-wal`, { force: true });
    await refusedStart(row, /-wal|log/);
    await restoreNewest(row);
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
    row.expect(
      alerts === undefined || alerts.some(({ name }) => /ServiceNotReady|ServiceDown/.test(name)),
      'no alert ServiceNotReady',
    );
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
