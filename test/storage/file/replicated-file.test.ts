// The file with a replica, as the storage thread has it: what becomes of the log while Litestream
// is gone.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LibsqlFile } from '../../../src/storage/file/database-file.js';
import {
  openReplicatedFile,
  type ReplicatedFile,
} from '../../../src/storage/file/replicated-file.js';
import type { ReplicaReport } from '../../../src/storage/replication/replica.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

/** No process has this id: Linux has none above 4,194,304. */
const NO_PROCESS = 2_000_000_000;
const MIB_256 = 268_435_456;
/** More turns than a question and its answer take. */
const TURNS = 50;
const TURNS_MAX = 5_000;

let folder: TemporaryFolder;
let path: string;
let socketPath: string;
let stub: LitestreamStub;
let reports: ReplicaReport[];
let replicated: ReplicatedFile | undefined;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
  socketPath = join(folder.path, 'socket');
  await writeFile(path, '');
  stub = await openLitestreamStub(socketPath, path);
  [reports, replicated] = [[], undefined];
});
afterEach(async () => {
  vi.useRealTimers();
  await replicated?.replica.close();
  replicated?.file.close();
  replicated?.release();
  await stub.close();
  await folder.remove();
});

async function open(): Promise<ReplicatedFile> {
  replicated = await openReplicatedFile({
    socketPath,
    databasePath: path,
    open: () => LibsqlFile.open(path, '[]', 1, 'shared'),
    report: (report) => void reports.push(report),
    inTurn: (use) => use(),
  });
  return replicated;
}

describe('The log of a file whose Litestream has been gone for a minute', () => {
  async function goneForAMinute(pid: number, logBytes: number): Promise<number> {
    stub.says.pid = pid;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { file } = await open();
    for (let turns = 0; turns < TURNS_MAX && !reports.at(-1)?.isReached; turns++) await turn();
    vi.spyOn(file, 'logBytes', 'get').mockReturnValue(logBytes);
    const emptyLog = vi.spyOn(file, 'emptyLog');
    await stub.close();
    for (let seconds = 0; seconds < 63; seconds++) {
      await vi.advanceTimersByTimeAsync(1_000);
      for (let turns = 0; turns < TURNS; turns++) await turn();
    }
    stub = await openLitestreamStub(socketPath, path);
    return emptyLog.mock.calls.length;
  }

  it('is emptied where it is long and the process has ended', async () => {
    expect(await goneForAMinute(NO_PROCESS, MIB_256 + 1)).toBe(1);
  });

  it('stays where it is short', async () => {
    expect(await goneForAMinute(NO_PROCESS, MIB_256)).toBe(0);
  });

  it('stays while the process still runs', async () => {
    expect(await goneForAMinute(process.pid, MIB_256 + 1)).toBe(0);
  });
});
