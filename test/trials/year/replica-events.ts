// A year with Litestream beside the service, REPLICATION=sync: nothing that was acknowledged may be
// lost, whatever becomes of the machine.

import { mkdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EARLIER, untilNotReady, type YearEvent } from './file-events.js';
import { CHANGES } from './machine.js';
import type { Row } from './row.js';
import { refusedStart } from './starts.js';

const UNAVAILABLE = 503;

/** As the page says: both stopped, the newest state restored, a new path for the replica. */
async function restoreAndStart(row: Row): Promise<void> {
  const { machine } = row;
  await machine.end('SIGKILL');
  await machine.endLitestream('SIGKILL');
  machine.restoreReplica();
  const start = await machine.start();
  row.expect(start.isUp, 'it does not start on the restored file');
  await row.compared();
}

export const replicaAway: YearEvent = {
  name: 'Litestream is away',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.endLitestream('SIGKILL');
    row.begin();
    await untilNotReady(row);
    const { ready, statuses, alerts, log } = await row.look();
    row.expect(ready?.reasons.includes('replica_unreachable') === true, '/ready does not say it');
    row.expect(log.includes('replica_unreachable'), 'the log does not say it');
    row.expect(statuses[0] === 200, 'a read is refused');
    row.expect(statuses[1] === UNAVAILABLE, `a write is ${statuses[1]}`);
    row.expect(
      alerts === undefined || alerts.some(({ name }) => name === 'ServiceReplicaUnreachable'),
      'no alert ServiceReplicaUnreachable',
    );
    machine.startLitestream();
    await machine.clients.untilWritten();
    await row.compared();
  },
};

export const machineLost: YearEvent = {
  name: 'the machine is lost: both killed, the data folder gone; both start before the restore',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.clients.change(CHANGES);
    await machine.end('SIGKILL');
    await machine.endLitestream('SIGKILL');
    const folder = dirname(machine.file);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    machine.startLitestream();
    await refusedStart(row, EARLIER);
    await restoreAndStart(row);
  },
};

export const emptyReplicatedFile: YearEvent = {
  name: 'the database file has 0 bytes',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.end();
    await machine.endLitestream('SIGTERM');
    truncateSync(machine.file, 0);
    machine.startLitestream();
    await refusedStart(row, EARLIER);
    await restoreAndStart(row);
  },
};

export const lostReplicatedLog: YearEvent = {
  name: 'both killed, and service.db-wal is deleted',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.clients.change(CHANGES);
    await machine.end('SIGKILL');
    await machine.endLitestream('SIGKILL');
    rmSync(`${machine.file}-wal`, { force: true });
    machine.startLitestream();
    await refusedStart(row, /-wal|log|restore/);
    await restoreAndStart(row);
  },
};

export const replicatedFileGone: YearEvent = {
  name: 'the database file is deleted under both',
  days: 20,
  async happen(row) {
    const { machine } = row;
    row.begin();
    renameSync(machine.file, join(machine.folder, 'gone.db'));
    await untilNotReady(row);
    const { ready, statuses } = await row.look();
    row.expect(ready?.ready !== true, '/ready says yes');
    row.expect(statuses[1] !== 201, 'a write is 201');
    await machine.end();
    await refusedStart(row, EARLIER);
    await restoreAndStart(row);
  },
};
