// The file with a replica, as the storage thread has it: what a start waits for, and what
// becomes of the log while Litestream is gone.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LibsqlFile } from '../../../src/storage/file/database-file.js';
import { ReplicatedFile } from '../../../src/storage/file/replicated-file.js';
import type {
  ReplicaReport,
  ReplicationMode,
} from '../../../src/storage/replication/replica-report.js';
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
  await replicated?.close();
  replicated?.file.close();
  replicated?.release();
  await stub.close();
  await folder.remove();
});

async function open(mode: ReplicationMode, startMaxMs = 0): Promise<ReplicatedFile> {
  replicated = await ReplicatedFile.open({
    replication: { mode, socketPath, databasePath: path, startMaxMs },
    open: () => LibsqlFile.open(path, '[]', 1, 'shared'),
    report: (report) => void reports.push(report),
    inTurn: (use) => use(),
  });
  return replicated;
}

describe('A start', () => {
  it('sync: asks Litestream again until it answers', async () => {
    stub.says.databases = [];
    const opening = open('sync', 20_000);
    // One answer that refuses, and then the wanted one.
    for (let turns = 0; turns < TURNS; turns++) await turn();
    stub.says.databases = [path];
    expect((await opening).replica.refusal).toContain('has not been reached yet');
  });

  it('sync: gives up after its time, with the reason', async () => {
    await stub.close();
    await expect(open('sync', 50)).rejects.toThrow(
      /^REPLICATION is sync, and Litestream does not answer \(ENOENT\) on .* \(waited 0\.05 s\)$/,
    );
    stub = await openLitestreamStub(socketPath, path);
  });

  it('async: does not wait for Litestream', async () => {
    await stub.close();
    const { replica } = await open('async');
    expect(replica.refusal).toBeUndefined();
    stub = await openLitestreamStub(socketPath, path);
  });
});

describe('A commit that changes nothing', () => {
  it('sync: is refused while the replica is not reached', async () => {
    stub.says.refusal = 'no';
    const file = await open('sync');
    await expect(file.touch()).rejects.toThrow('the replica has not been reached yet');
    stub.says.refusal = undefined;
    await file.replica.reached(20_000);
    await file.touch();
  });
});

describe('The log of a file whose Litestream has been gone for a minute', () => {
  async function goneForAMinute(pid: number, logBytes: number): Promise<number> {
    stub.says.pid = pid;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { file } = await open('async');
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
