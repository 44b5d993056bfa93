// A real Postgres from npm, for tests: one server for each test worker, and a database for
// each place. It commits durably, as a production server must.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  asPostgres,
  makeCluster,
  openServer,
  openToPostgres,
  removeWithProcess,
} from '../../scripts/processes/postgres.js';
import { startProgram } from './program.js';
import { openFolder } from './test-folder.js';

type Lines = readonly string[];
export type PostgresServer = Awaited<ReturnType<typeof openPostgres>>;

/** `settings`: lines of `postgresql.conf`. */
export async function openPostgres(settings: Lines = []) {
  const folder = await ownFolder();
  removeWithProcess(folder.path);
  makeCluster(folder.data);
  return serverOn(folder, settings);
}

/** A server whose data is on an in-memory disk of this size that only it sees. `under`: `privateMounts()`. */
export async function openPostgresOnSmallDisk(bytes: number, under: Lines) {
  const folder = await ownFolder();
  makeCluster(join(folder.path, 'cluster'));
  mkdirSync(folder.data);
  const mount = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && cp -a "$0/../cluster/." "$0" && exec "$@"`;
  const server = await serverOn(folder, [], [...under, 'sh', '-c', mount, folder.data]);
  const checkpointer = "select pid from pg_stat_activity where backend_type = 'checkpointer'";
  const [row] = await server.sql('postgres', checkpointer);
  /** `disk`: its folder, as this process reaches it. */
  return { server, disk: join('/proc', String(row?.['pid']), 'root', folder.data) };
}

/** A server with a synchronous standby, which `promote` makes the primary. */
export async function openPostgresPair() {
  const [folder, copy] = [await ownFolder(), await ownFolder()];
  makeCluster(folder.data);
  // Copied from a cluster that has never run, so no online copy is needed.
  await startProgram(asPostgres(['cp', '-a', folder.data, copy.path])).ended;
  writeFileSync(join(copy.data, 'standby.signal'), '');
  const primary = await serverOn(folder, ['synchronous_standby_names=*']);
  const source = `host=127.0.0.1 port=${primary.port} user=service application_name=standby`;
  const standby = await serverOn(copy, [
    `primary_conninfo=${source}`,
    // Its default of 5 s would keep writes waiting for the standby after the primary is back.
    'wal_retrieve_retry_interval=100ms',
  ]);
  const isStreaming = "select 1 from pg_stat_replication where sync_state = 'sync'";
  while ((await primary.sql('postgres', isStreaming)).length === 0) await delay(50);
  const promote = () => standby.sql('postgres', 'select pg_promote(true)');
  return { primary, standby, promote };
}

async function ownFolder() {
  const folder = await openFolder();
  openToPostgres(folder.path);
  return { ...folder, data: join(folder.path, 'data') };
}

type OwnFolder = Awaited<ReturnType<typeof ownFolder>>;

async function serverOn({ data, remove }: OwnFolder, settings: Lines, under: Lines = []) {
  const server = await openServer(data, ['max_connections=200', ...settings], under);
  return {
    ...server,
    /** Ends the server as a crash does, and starts it again on its port, this many milliseconds later. */
    async restart(awayMs = 0) {
      await server.end();
      await delay(awayMs);
      await server.start();
    },
    async close() {
      await server.end();
      await remove();
    },
  };
}

let shared: Promise<PostgresServer> | undefined;
let databases = 0;

/** A server for all tests of this process; it ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= openPostgres();
  return shared;
}

/** The name of a database that no other test of this process has. */
export const newDatabaseName = () => `test_${++databases}`;
