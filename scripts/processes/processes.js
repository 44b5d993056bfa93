// `npm run fleet`: a fleet to look at, on this machine alone: a real Postgres, three processes, a
// small front that shares requests out, and the preview's sign-in. Ctrl-C leaves nothing behind.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.js';
import { startIdentity } from '../identity.js';
import { endWithNpm } from '../npm.js';
import { root } from '../setup.js';
import { startFront } from './front.js';
import { makeCluster, openServer, openToPostgres } from './postgres.js';

const PROCESSES = 3;
const FRONT_PORT = 8080;
/** A process that was killed is started again after so long, as systemd would. */
const START_AGAIN_MS = 10_000;
/** A process ends when this one has ended, however it did. */
const ENDS_WITH_PARENT =
  'data:text/javascript,process.once("disconnect",()=>process.kill(process.pid,"SIGTERM"))';

const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());
endWithNpm();

const adminKey = process.env['ADMIN_API_KEY'] || randomBytes(24).toString('base64url');
/** @type {Map<number, { pid: number, origin: string }>} By its number. */
const living = new Map();
/** @type {Promise<void>[]} */
const lives = [];
/** @type {(() => unknown)[]} */
const closers = [];

try {
  await run();
} catch (error) {
  if (!stopping.signal.aborted) throw error;
} finally {
  stopping.abort();
  await Promise.all(lives);
  for (const close of closers.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
}

/** Starts everything, and lasts until it is stopped. */
async function run() {
  const { signal } = stopping;
  const identity = await startIdentity();
  closers.push(identity.close);
  const postgres = await openPostgres();
  closers.push(postgres.end);
  const environment = {
    ...process.env,
    DATABASE_URL: postgres.url,
    FLEET_KEY: randomBytes(24).toString('base64url'),
    AUTH_USERINFO_URL: identity.userinfoUrl,
    ADMIN_API_KEY: adminKey,
    HOST: '127.0.0.1',
    PORT: '0',
  };
  for (let number = 1; number <= PROCESSES; number++) lives.push(keepAlive(number, environment));
  while (living.size < PROCESSES) await delay(50, undefined, { signal });
  const front = await startFront(Number(process.env['PORT'] || FRONT_PORT), () =>
    [...living.values()].map(({ origin }) => origin),
  );
  closers.push(front.close);
  process.stdout.write(welcome(`${front.origin}/api/v1`, postgres.url));
  await once(signal, 'abort');
}

/**
 * Runs a process of the fleet, and starts it again where it ends.
 * @param {number} number
 * @param {NodeJS.ProcessEnv} environment
 */
async function keepAlive(number, environment) {
  const { signal } = stopping;
  const fleetPort = String(await freePort());
  while (!signal.aborted) {
    const child = spawn(
      process.execPath,
      ['--import', ENDS_WITH_PARENT, join(root, 'dist/server.js')],
      {
        env: { ...environment, FLEET_PORT: fleetPort },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        signal,
      },
    );
    // Of the end by the signal, which `close` tells, too.
    child.on('error', () => {});
    const lines = (/** @type {import('node:stream').Readable | null} */ input) =>
      createInterface({ input: input ?? Readable.from([]) });
    lines(child.stdout).on('line', (line) => heard(number, fleetPort, child.pid ?? 0, line));
    lines(child.stderr).on('line', (line) => say(`process ${number}: ${line}`));
    const [code, killed] = await new Promise((resolve) =>
      child.once('close', (...ended) => resolve(ended)),
    );
    living.delete(number);
    if (signal.aborted) return;
    say(
      `Process ${number} has ended (${killed ?? code}). Its accounts answer again within 4 s; it starts again in ${START_AGAIN_MS / 1000} s.`,
    );
    await delay(START_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

function heard(
  /** @type {number} */ number,
  /** @type {string} */ fleetPort,
  /** @type {number} */ pid,
  /** @type {string} */ line,
) {
  const { event, address } = JSON.parse(line);
  if (event !== 'started') return;
  living.set(number, { pid, origin: address });
  say(
    `Process ${number} runs: pid ${pid}, http://127.0.0.1:${fleetPort} in the fleet, API at ${address}`,
  );
}

async function openPostgres() {
  openToPostgres(folder);
  const data = join(folder, 'data');
  makeCluster(data);
  const server = await openServer(data);
  return { url: await server.make('service'), end: server.end };
}

function say(/** @type {string} */ line) {
  process.stderr.write(`${line}\n`);
}

function welcome(/** @type {string} */ api, /** @type {string} */ postgresUrl) {
  const pid = living.get(1)?.pid;
  return `
The fleet runs at ${api} (Ctrl-C stops it, and removes its records).

Front      shares requests out over ${PROCESSES} processes, each in its turn
Postgres   ${postgresUrl}
Tokens     local-NAME is the account local-NAME, for any NAME;
           local-preview owns the sample shop
Admin key  ${adminKey}

Try, in other terminals of this folder:

# who holds the sample shop
DATABASE_URL='${postgresUrl}' npm run manage -- fleet --account local-preview

# a request twice a second: its status and its seconds
while sleep 0.5; do curl -so /dev/null -w '%{http_code}  %{time_total} s\\n' ${api}/orders -H 'Authorization: Bearer local-preview'; done

# the end of a process, without a warning: take the pid of the one that holds the shop
kill -9 ${pid}

`;
}
