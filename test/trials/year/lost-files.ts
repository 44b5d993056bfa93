// Files of the service that are lost while nothing runs, on a file with backups and with
// Litestream: the start is refused, and the newest copy is restored.

import { mkdirSync, rmSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { CHANGES, type Machine } from './machine.js';
import type { Row, YearEvent } from './row.js';
import { EARLIER, refusedStart } from './starts.js';

/** Restores the newest copy, as the page says, and starts. */
export function restoreNewest(row: Row): Promise<void> {
  return row.machine.litestream === undefined ? restoreBackup(row) : restoreReplica(row);
}

/** What was written since the newest backup is gone, as the page says. */
async function restoreBackup(row: Row): Promise<void> {
  const { machine } = row;
  const now = new Date(machine.clock.now()).toISOString().replaceAll(':', '-');
  // Not one from the future.
  const name = machine.backupNames().findLast((found) => found < `service-${now}`) ?? '';
  const { lost } = await machine.restore(name);
  await machine.start();
  row.lost(`${lost} acknowledged since the newest backup, as the page says`, true);
  await row.compared();
}

/** Both stopped, the newest state restored, a new path for the replica. */
async function restoreReplica(row: Row): Promise<void> {
  const { machine } = row;
  await machine.end('SIGKILL');
  await machine.endLitestream('SIGKILL');
  machine.restoreReplica();
  const start = await machine.start();
  row.expect(start.isUp, 'it does not start on the restored file');
  await row.compared();
}

export function emptyDataFolder({ file }: Machine): void {
  const folder = dirname(file);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
}

function loss(
  name: string,
  signal: 'SIGTERM' | 'SIGKILL',
  lose: (machine: Machine) => void,
  sentence = EARLIER,
): YearEvent {
  return {
    name,
    days: 20,
    async happen(row) {
      const { machine } = row;
      if (signal === 'SIGKILL') await machine.clients.change(CHANGES);
      await machine.end(signal);
      await machine.endLitestream(signal);
      lose(machine);
      machine.startLitestream();
      await refusedStart(row, sentence);
      await restoreNewest(row);
    },
  };
}

const loseLog = ({ file }: Machine) => rmSync(`${file}-wal`, { force: true });

export const emptyFolder = loss('the data folder is empty at a start', 'SIGTERM', emptyDataFolder);

export const lostFolder = loss(
  'the data folder is gone after kill -9, with the disk that it was on',
  'SIGKILL',
  ({ file }) => rmSync(dirname(file), { recursive: true }),
);

export const emptyFile = loss('the database file has 0 bytes', 'SIGTERM', ({ file }) =>
  truncateSync(file, 0),
);

export const lostLog = loss(
  'kill -9, and service.db-wal is deleted',
  'SIGKILL',
  loseLog,
  /-wal|log/,
);

export const machineLost = loss(
  'the machine is lost: both killed, the data folder gone; both start before the restore',
  'SIGKILL',
  emptyDataFolder,
);

export const lostReplicatedLog = loss(
  'both killed, and service.db-wal is deleted',
  'SIGKILL',
  loseLog,
  /-wal|log|restore/,
);
