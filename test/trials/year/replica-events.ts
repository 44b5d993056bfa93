// A year with Litestream beside the service, REPLICATION=sync: nothing that was acknowledged may be
// lost, whatever becomes of the machine.

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { untilNotReady } from './file-events.js';
import { restoreNewest } from './lost-files.js';
import type { YearEvent } from './row.js';
import { EARLIER, refusedStart } from './starts.js';

const UNAVAILABLE = 503;

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
    row.expectAlert(alerts, 'ServiceReplicaUnreachable');
    machine.startLitestream();
    await machine.clients.untilWritten();
    await row.compared();
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
    await restoreNewest(row);
  },
};
