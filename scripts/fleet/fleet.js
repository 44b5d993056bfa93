// `npm run fleet`: a fleet to look at, on this machine alone: a real Postgres, three processes, a
// small front that shares requests out, and the preview's sign-in. Ctrl-C leaves nothing behind.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdentity } from '../identity.js';
import { endWithNpm } from '../npm.js';
import { root } from '../setup.js';
import { startFront } from './front.js';
import { freePort, makeCluster, openServer, openToPostgres } from './postgres.js';

const PROCESSES = 3;
const FRONT_PORT = 8080;
/** A process that was killed is started again after so long, as systemd would. */
const START_AGAIN_MS = 10_000;
/** A process ends when this one has ended, however it did. */
const ENDS_WITH_PARENT =
  'data:text/javascript,process.once("disconnect",()=>process.kill(process.pid,"SIGTERM"))';

const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const stopping = new AbortController();

const identity = await startIdentity();
const postgres = await openPostgres();
const adminKey = process.env['ADMIN_API_KEY'] || randomBytes(24).toString('base64url');
const environment = {
  ...process.env,
  DATABASE_URL: postgres.url,
  FLEET_KEY: randomBytes(24).toString('base64url'),
  AUTH_USERINFO_URL: identity.userinfoUrl,
  ADMIN_API_KEY: adminKey,
  HOST: '127.0.0.1',
  PORT: '0',
};
/** @type {Map<number, { pid: number, origin: string }>} By its number. */
const living = new Map();
/** @type {Promise<void>[]} */
const lives = [];

for (let number = 1; number <= PROCESSES; number++) lives.push(keepAlive(number));
while (living.size < PROCESSES) await delay(50);
const front = await startFront(Number(process.env['PORT'] || FRONT_PORT), () =>
  [...living.values()].map(({ origin }) => origin),
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop);
endWithNpm();
process.stdout.write(welcome(`${front.origin}/api/v1`));

async function stop() {
  stopping.abort();
  for (const { pid } of living.values()) signalled(pid);
  await Promise.all(lives);
  front.close();
  await identity.close();
  await postgres.end();
}

/** Ctrl-C at a terminal reaches the processes, too: one may have ended. @param {number} pid */
function signalled(pid) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {}
}

/** Runs a process of the fleet, and starts it again where it ends. @param {number} number */
async function keepAlive(number) {
  const fleetPort = String(await freePort());
  while (!stopping.signal.aborted) {
    const child = spawn(
      process.execPath,
      ['--import', ENDS_WITH_PARENT, join(root, 'dist/server.js')],
      { env: { ...environment, FLEET_PORT: fleetPort }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    if (child.stdout === null || child.stderr === null)
      throw new Error('the process has no output');
    createInterface(child.stdout).on('line', (line) =>
      heard(number, fleetPort, child.pid ?? 0, line),
    );
    createInterface(child.stderr).on('line', (line) => say(`process ${number}: ${line}`));
    const [code, signal] = await once(child, 'close');
    living.delete(number);
    if (stopping.signal.aborted) return;
    say(
      `Process ${number} has ended (${signal ?? code}). Its accounts answer again within 4 s; it starts again in ${START_AGAIN_MS / 1000} s.`,
    );
    await delay(START_AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => {});
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

function welcome(/** @type {string} */ api) {
  const pid = living.get(1)?.pid;
  return `
The fleet runs at ${api} (Ctrl-C stops it, and removes its records).

Front      shares requests out over ${PROCESSES} processes, each in its turn
Postgres   ${postgres.url}
Tokens     local-NAME is the account local-NAME, for any NAME;
           local-preview owns the sample shop
Admin key  ${adminKey}

Try, in other terminals of this folder:

# who holds the sample shop
DATABASE_URL='${postgres.url}' npm run manage -- fleet --account local-preview

# a request twice a second: its status and its seconds
while sleep 0.5; do curl -so /dev/null -w '%{http_code}  %{time_total} s\\n' ${api}/orders -H 'Authorization: Bearer local-preview'; done

# the end of a process, without a warning: take the pid of the one that holds the shop
kill -9 ${pid}

`;
}
