// How a replica is reached, kept, watched and lost, with a real socket and the test's own clock.

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Replica, type ReplicaReport } from '../../../src/storage/replication/replica.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { testFolder } from '../../support/test-folder.js';

const DATABASE = '/data/service.db';
/** More turns than a request and its response take. */
const TURNS = 50;
const STEP_MS = 250;

const folder = testFolder();
let socketPath: string;
let stub: LitestreamStub;
let replica: Replica;
let reports: ReplicaReport[];
/** What the replica did with the file, and how many uses of it are in progress. */
let [touches, uses] = [0, 0];
let letGo = () => {};

beforeEach(async () => {
  socketPath = folder.at('socket');
  stub = await openLitestreamStub(socketPath, DATABASE);
  [touches, uses] = [0, 0];
  vi.useFakeTimers({
    toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    now: 5_000,
  });
});
afterEach(async () => {
  letGo();
  const closing = replica.close();
  await pass(10_000);
  await closing;
  vi.useRealTimers();
  await stub.close();
});

function make(): void {
  reports = [];
  replica = new Replica({
    socketPath,
    path: DATABASE,
    onReport: (report) => void reports.push(report),
    async commitMutex(use) {
      uses++;
      return use().finally(() => uses--);
    },
    touch: async () => void touches++,
  });
}

const last = () => reports.at(-1);

async function reach(): Promise<void> {
  make();
  await until(() => last()?.isReached === true);
}

/** Without more time. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

/** Lets time pass in steps, each with all of Litestream's responses in it. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    await vi.advanceTimersByTimeAsync(Math.min(left, STEP_MS));
    for (let turns = 0; turns < TURNS; turns++) await turn();
  }
}

/** Commits; returns when. Litestream is called within the next second. */
async function commit(): Promise<number> {
  const at = Date.now();
  replica.committed();
  await pass(1_000);
  return at;
}

/** Litestream doesn't complete a sync until `letGo`. */
function hold(): void {
  stub.state.held = new Promise((resolve) => {
    letGo = resolve;
  });
}

it('A replica is reached when Litestream has taken a commit of this file, and is probed every second until then', async () => {
  stub.state.advances = false;
  make();
  const reason = 'Litestream follows another file: it lacks a commit of this one';
  await until(() => last()?.reason === reason);
  expect(stub.syncs.map(({ wait }) => wait)).toEqual([false, false]);
  await pass(750);
  expect(touches).toBe(1);
  await pass(250);
  expect(touches).toBe(2);
  stub.state.advances = true;
  await pass(1_000);
  expect(last()).toEqual({ isReached: true, reason: undefined, behindSince: undefined });
});

it('A replica is verified again only if Litestream was restarted', async () => {
  await reach();
  stub.state.databases = [];
  await pass(1_000);
  expect(last()?.isReached).toBe(false);
  stub.state.databases = [DATABASE];
  await pass(1_000);
  expect([last()?.isReached, touches]).toEqual([true, 1]);
  stub.state.startedAt = '2026-11-22T05:00:00Z';
  await pass(1_000);
  expect([last()?.isReached, touches]).toEqual([true, 2]);
});

it('A replica gets the commits of each second, and is behind since the oldest that it lacks', async () => {
  await reach();
  stub.state.lacks = 1;
  const first = await commit();
  expect(last()).toMatchObject({ isReached: true, behindSince: first });
  const second = await commit();
  expect(last()?.behindSince).toBe(second);
  stub.state.lacks = 0;
  await pass(1_000);
  expect(last()).toMatchObject({ isReached: true, behindSince: undefined });
  await pass(3_000);
  expect(stub.syncs).toHaveLength(5);
});

it('A replica is behind since the commit whose sync failed, even if Litestream counts from 1 again', async () => {
  await reach();
  for (let second = 0; second < 5; second++) await commit();
  stub.state.lacks = 1;
  stub.state.refusal = 'no room';
  const at = await commit();
  expect(reports.some(({ hasFailed }) => hasFailed)).toBe(true);
  const reason = 'Litestream says: no room';
  expect(last()).toMatchObject({ isReached: false, reason, behindSince: at });
  stub.state.refusal = undefined;
  await pass(1_000);
  expect(last()).toMatchObject({ isReached: true, behindSince: at });
  await stub.close();
  stub = await openLitestreamStub(socketPath, DATABASE);
  await pass(1_000);
  expect(last()?.behindSince).toBeUndefined();
});

it('Commits wait at most a second for a sync, and the replica stays reached only while Litestream responds', async () => {
  await reach();
  hold();
  const at = await commit();
  await pass(750);
  expect([stub.syncs.length, uses]).toEqual([3, 1]);
  await pass(5_250);
  expect([stub.syncs.length, uses]).toEqual([3, 0]);
  expect(last()).toMatchObject({ isReached: true, behindSince: at });
  stub.state.version = '0.5.16';
  await pass(1_000);
  const reason = expect.stringContaining('has version 0.5.16');
  expect(last()).toMatchObject({ isReached: false, reason, behindSince: at });
  stub.state.version = '0.5.17';
  letGo();
  await pass(2_000);
  expect(last()).toMatchObject({ isReached: true, behindSince: undefined });
  expect(reports.some(({ syncMilliseconds = 0 }) => syncMilliseconds >= 5_000)).toBe(true);
});

it('A stop sends what the replica lacks, if it is reached, for at most three seconds', async () => {
  await reach();
  await replica.close();
  expect(stub.syncs).toHaveLength(2);
  await reach();
  replica.committed();
  hold();
  const closed = vi.fn();
  void replica.close().then(closed);
  await until(() => stub.syncs.length === 5);
  expect(stub.syncs.at(-1)).toEqual({ path: DATABASE, wait: true, timeout: 3 });
  await vi.advanceTimersByTimeAsync(2_999);
  expect(closed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await until(() => closed.mock.calls.length > 0);
  letGo();
  stub.state.refusal = 'no';
  make();
  replica.committed();
  await until(() => last()?.reason === 'Litestream says: no');
  await replica.close();
  expect(stub.syncs).toHaveLength(6);
});
