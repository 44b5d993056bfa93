// The file with a replica, as the storage thread has it: what becomes of the log while Litestream
// is gone.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { LibsqlFile } from '../../../src/storage/file/database-file.js';
import { replicaOf } from '../../../src/storage/file/storage-thread.js';
import { Litestream } from '../../../src/storage/replication/litestream.js';
import type { ReplicaReport } from '../../../src/storage/replication/replica.js';
import { openLitestreamStub } from '../../support/litestream-stub.js';
import { openTemporaryFolder } from '../../support/temporary-folder.js';

/** No process has this id: Linux has none above 4,194,304. */
const NO_PROCESS = 2_000_000_000;
const MIB_256 = 268_435_456;
/** More turns than a question and its answer take. */
const TURNS = 50;
const TURNS_MAX = 5_000;

it.each([
  ['is emptied where it is long and the process has ended', NO_PROCESS, MIB_256 + 1, 1],
  ['stays where it is short', NO_PROCESS, MIB_256, 0],
  ['stays while the process still runs', process.pid, MIB_256 + 1, 0],
])(
  'The log of a file whose Litestream has been gone for a minute %s',
  async (_, pid, bytes, times) => {
    const folder = await openTemporaryFolder();
    const path = join(folder.path, 'service.db');
    const socketPath = join(folder.path, 'socket');
    await writeFile(path, '');
    const stub = await openLitestreamStub(socketPath, path);
    stub.says.pid = pid;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const reports: ReplicaReport[] = [];
    const file = new LibsqlFile({ path, initialRows: '[]', now: 1, isReplicated: true });
    const litestream = new Litestream({ socketPath, databasePath: path });
    const replica = replicaOf(file, litestream, (news) => void reports.push(news));
    for (let turns = 0; turns < TURNS_MAX && !reports.at(-1)?.isReached; turns++) await turn();
    const logBytes = vi.spyOn(file, 'logBytes', 'get').mockReturnValue(bytes);
    const emptyLog = vi.spyOn(file, 'emptyLog');
    await stub.close();
    for (let seconds = 0; seconds < 63; seconds++) {
      await vi.advanceTimersByTimeAsync(1_000);
      for (let turns = 0; turns < TURNS; turns++) await turn();
    }
    expect(emptyLog).toHaveBeenCalledTimes(times);
    vi.useRealTimers();
    logBytes.mockRestore();
    // An empty log would count as a lost one after a kill.
    expect(file.logBytes).toBeGreaterThan(0);
    await replica.close();
    file.close();
    await folder.remove();
  },
);
