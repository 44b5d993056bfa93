// A storage with a replica: commits continue without Litestream, and are never made by two services.

import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { createClient } from '@libsql/client';
import {
  type FileStorage,
  openLibsqlStorage,
  type ReplicaReport,
} from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changes, loaded, rows } from '../../../src/storage/conformance/check.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { metricsOf, operationsOf } from '../../support/operations.js';
import { spawnServer, startServer } from '../../support/server-process.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
let path: string;
let socketPath: string;
let stub: LitestreamStub;
let reports: ReplicaReport[];
let opened: FileStorage[];

beforeEach(async () => {
  path = folder.at('service.db');
  socketPath = folder.at('socket');
  stub = await openLitestreamStub(socketPath, path);
  [reports, opened] = [[], []];
});
afterEach(async () => {
  for (const storage of opened) await storage.close();
  await stub.close();
});

async function open(isReplicated = true) {
  const onReport = (report: ReplicaReport) => void reports.push(report);
  const replication = isReplicated ? { socketPath, onReport } : undefined;
  const storage = await openLibsqlStorage({ path, replication, createAnyway: true });
  opened.push(storage);
  return storage;
}

const put = (position: number) => changes({ puts: rows(1, position) });
const committed = { status: 'committed' };

it('Only one service at a time can open the file: a second one, with or without a replica, is refused', async () => {
  const refuses = async (REPLICATION: string) => {
    const other = spawnServer({ DATABASE_URL: `file:${path}`, REPLICATION });
    expect(await other.exited).toBe(1);
    expect(other.output()).toContain('another process holds it (waited 5 s)');
  };
  const replicated = `async:${socketPath}`;
  const opening = once(process, 'worker') as Promise<[Worker]>;
  const storage = await open();
  // The lock outlives the thread's garbage, which V8 collects before a snapshot. That is read to its
  // end: Node 20 crashes at times if it is destroyed.
  const [thread] = await opening;
  await text(await thread.getHeapSnapshot());
  for (let turn = 0; turn < 5; turn++) await storage.ping();
  await Promise.all([refuses(replicated), refuses('off')]);
  expect(await storage.commit(put(100))).toEqual(committed);
  await opened.pop()?.close();
  await open(false);
  await refuses(replicated);
});

it('Without Litestream a storage commits, reports it, and takes backups', async () => {
  const storage = await open();
  await stub.close();
  expect(await storage.commit(put(100))).toEqual(committed);
  const behind = { isReached: false, behindSince: expect.any(Number) };
  await expect.poll(() => reports.at(-1)).toMatchObject(behind);
  const { recordCount } = await storage.backup(folder.at('backup.db'));
  expect(recordCount).toBe((await loaded(storage)).length);
});

it('A write lock that another program holds for longer than the busy time-out fails one commit, and no later one', async () => {
  const storage = await open();
  const holder = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
  const held = await holder.transaction('write');
  expect(await storage.commit(put(100))).toMatchObject({ status: 'notStored' });
  held.close();
  holder.close();
  expect(await storage.commit(put(101))).toEqual(committed);
  const ids = (await loaded(storage)).map(({ position }) => position);
  expect([ids.includes(100), ids.includes(101)]).toEqual([false, true]);
});

it('The metrics of a service say whether its replica is reached, and how many syncs failed', async () => {
  const replicated = { REPLICATION: `async:${socketPath}`, DATABASE_CREATE: 'yes' };
  const environment = { DATABASE_URL: `file:${path}`, ...replicated, OPS_PORT: '0' };
  stub.state.refusal = 'no such bucket';
  const server = await startServer(environment);
  const figures = async () => {
    const { total } = await metricsOf(operationsOf(server));
    const failures = total('service_replication_failures_total');
    return [total('service_replication_reached'), failures > 0];
  };
  await expect.poll(figures).toEqual([0, true]);
  stub.state.refusal = undefined;
  await expect.poll(figures).toEqual([1, true]);
  expect(await server.stop()).toBe(0);
});

it('--check contacts Litestream, and warns if it does not respond', async () => {
  await open();
  await opened.pop()?.close();
  const environment = { DATABASE_URL: `file:${path}`, REPLICATION: `async:${socketPath}` };
  const check = async () => {
    const program = spawnServer(environment, { args: ['--check'] });
    return [await program.exited, program.output()];
  };
  const answers = expect.stringContaining('Litestream responds and lists the database');
  expect(await check()).toEqual([0, answers]);
  await stub.close();
  expect(await check()).toEqual([0, expect.stringContaining('"event":"replica_unreachable"')]);
});
