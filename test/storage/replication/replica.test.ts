// How a replica is reached, kept, watched and lost: Litestream's socket answers for real, by a
// clock of the test's own.

import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Litestream } from '../../../src/storage/replication/litestream.js';
import { Replica, type ReplicaReport } from '../../../src/storage/replication/replica.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const DATABASE = '/data/service.db';
/** No process has this id: Linux has none above 4,194,304. */
const NO_PROCESS = 2_000_000_000;
const MIB_256 = 268_435_456;
/** More turns than a question and its answer take. */
const TURNS = 50;
/** After this many turns, what is waited for does not come. */
const TURNS_MAX = 5_000;
const STEP_MS = 250;

let folder: TemporaryFolder;
let socketPath: string;
let stub: LitestreamStub;
let replica: Replica;
let reports: ReplicaReport[];
/** What the replica did with the file. */
let touches: number;
let emptied: number;
let logBytes: number;
/** How many uses of the file are under way. */
let uses: number;
let letGo: () => void;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  socketPath = join(folder.path, 'socket');
  stub = await openLitestreamStub(socketPath, DATABASE);
  [reports, touches, emptied, logBytes, uses, letGo] = [[], 0, 0, 0, 0, () => {}];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now: 5_000 });
});
afterEach(async () => {
  letGo();
  const closing = replica.close();
  await pass(10_000);
  await closing;
  vi.useRealTimers();
  await stub.close();
  await folder.remove();
});

function make(): void {
  replica = new Replica({
    litestream: new Litestream(socketPath, DATABASE),
    report: (report) => void reports.push(report),
    async inTurn(use) {
      uses++;
      return use().finally(() => uses--);
    },
    file: {
      touch: () => void touches++,
      emptyLog: () => ++emptied > 0,
      get logBytes() {
        return logBytes;
      },
    },
  });
}

async function reach(): Promise<void> {
  make();
  await until(() => last()?.isReached === true);
}

const last = () => reports.at(-1);

/** Fails if it does not come true without more time. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    expect(turns).toBeLessThan(TURNS_MAX);
    await turn();
  }
}

/** Lets time pass in steps, each with everything that Litestream answers in it. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    await vi.advanceTimersByTimeAsync(Math.min(left, STEP_MS));
    for (let turns = 0; turns < TURNS; turns++) await turn();
  }
}

/** Litestream answers no sync until `letGo`. */
function hold(): void {
  stub.says.held = new Promise((resolve) => {
    letGo = resolve;
  });
}

describe('A replica', () => {
  it('is reached when Litestream has taken a commit of this file', async () => {
    await reach();
    expect(stub.syncs.map(({ wait }) => wait)).toEqual([false, false]);
    expect(touches).toBe(1);
    const unknown = { isReached: false, reason: undefined, behindSince: undefined };
    expect(reports).toEqual([
      { ...unknown, syncMilliseconds: 0 },
      { ...unknown, syncMilliseconds: 0 },
      { ...unknown, isReached: true },
    ]);
  });

  it('is not reached while Litestream does not take the commit, and is tried every second', async () => {
    stub.says.advances = false;
    make();
    const reason =
      "Litestream's number of changes stays at 1 after a commit: it follows another file";
    await until(() => last()?.reason === reason);
    await pass(750);
    expect(touches).toBe(1);
    await pass(250);
    expect(touches).toBe(2);
    stub.says.advances = true;
    await pass(1_000);
    expect(last()).toMatchObject({ isReached: true, reason: undefined });
  });

  it('is proven again if Litestream was restarted, and only then', async () => {
    await reach();
    stub.says.databases = [];
    await pass(1_000);
    expect(last()?.reason).toContain('does not list the database');
    stub.says.databases = [DATABASE];
    await pass(1_000);
    expect([last()?.isReached, touches]).toEqual([true, 1]);
    stub.says.startedAt = '2026-11-22T05:00:00Z';
    await pass(1_000);
    expect([last()?.isReached, touches]).toEqual([true, 2]);
  });

  it('gets the commits of each second, and is behind since the oldest that it lacks', async () => {
    await reach();
    stub.says.lacks = 1;
    const first = Date.now();
    replica.committed();
    await pass(1_000);
    expect(last()).toMatchObject({ isReached: true, behindSince: first });
    const second = Date.now();
    replica.committed();
    await pass(1_000);
    // It has the first one now: the change before the newest.
    expect(last()?.behindSince).toBe(second);
    stub.says.lacks = 0;
    await pass(1_000);
    expect(last()).toMatchObject({ isReached: true, behindSince: undefined });
    const syncs = stub.syncs.length;
    await pass(3_000);
    expect(stub.syncs).toHaveLength(syncs);
  });

  it('is behind since a commit of which the sync failed, also where Litestream counts anew', async () => {
    await reach();
    for (let second = 0; second < 5; second++) {
      replica.committed();
      await pass(1_000);
    }
    stub.says.lacks = 1;
    stub.says.refusal = 'no room';
    const at = Date.now();
    replica.committed();
    await pass(1_000);
    expect(reports.some(({ hasFailed }) => hasFailed)).toBe(true);
    const reason = 'Litestream says: no room';
    expect(last()).toMatchObject({ isReached: false, reason, behindSince: at });
    stub.says.refusal = undefined;
    await pass(1_000);
    expect(last()).toMatchObject({ isReached: true, behindSince: at });
    await stub.close();
    stub = await openLitestreamStub(socketPath, DATABASE);
    await pass(1_000);
    expect(last()?.behindSince).toBeUndefined();
  });

  it('keeps commits waiting for a sync, but for no more than a second', async () => {
    await reach();
    hold();
    replica.committed();
    await pass(1_000);
    expect([stub.syncs.length, uses]).toEqual([3, 1]);
    await pass(750);
    expect(uses).toBe(1);
    await pass(250);
    expect(uses).toBe(0);
    await pass(5_000);
    expect([stub.syncs.length, uses]).toEqual([3, 0]);
  });

  it('stays reached during a long sync if Litestream answers, and not if it does not', async () => {
    await reach();
    hold();
    const at = Date.now();
    replica.committed();
    await pass(5_000);
    expect(last()).toMatchObject({ isReached: true, behindSince: at });
    stub.says.version = '0.5.16';
    await pass(1_000);
    const reason = expect.stringContaining('has version 0.5.16');
    expect(last()).toMatchObject({ isReached: false, reason, behindSince: at });
    stub.says.version = '0.5.17';
    letGo();
    await pass(2_000);
    expect(last()).toMatchObject({ isReached: true, behindSince: undefined });
    expect(reports.some(({ syncMilliseconds = 0 }) => syncMilliseconds >= 5_000)).toBe(true);
  });
});

describe('The log of the file', () => {
  it.each([
    ['is emptied each minute where it is long and the process has ended', NO_PROCESS, 1, 2],
    ['stays where it is short', NO_PROCESS, 0, 0],
    ['stays while the process still runs', process.pid, 1, 0],
  ])('%s, and Litestream is gone', async (_, pid, more, times) => {
    stub.says.pid = pid;
    logBytes = MIB_256 + more;
    await reach();
    await stub.close();
    await pass(60_000);
    expect(emptied).toBe(0);
    await pass(2_000);
    expect(emptied).toBe(Math.min(times, 1));
    await pass(62_000);
    expect(emptied).toBe(times);
  });
});

describe('A stop', () => {
  it('sends what the replica lacks, and gives that three seconds', async () => {
    await reach();
    replica.committed();
    hold();
    let isClosed = false;
    void replica.close().then(() => {
      isClosed = true;
    });
    await until(() => stub.syncs.length === 3);
    expect(stub.syncs.at(-1)).toEqual({ path: DATABASE, wait: true, timeout: 3 });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await until(() => isClosed);
  });

  it('sends nothing if the replica has everything, or is not reached', async () => {
    await reach();
    await replica.close();
    expect(stub.syncs).toHaveLength(2);
    stub.says.refusal = 'no';
    make();
    replica.committed();
    await until(() => last()?.reason === 'Litestream says: no');
    await replica.close();
    expect(stub.syncs).toHaveLength(3);
  });
});
