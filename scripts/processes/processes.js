// `npm run processes`: runs several processes over Postgres to try out, on loopback: a real Postgres,
// two processes, a small load balancer, and the preview's sign-in. Ctrl-C removes everything.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdentity } from '../identity.js';
import { root } from '../root.js';
import { startBalancer } from './load-balancer.js';
import { makeCluster, openServer, openToPostgres } from './postgres.js';

const PROCESSES = 2;
const LOAD_BALANCER_PORT = 8080;
/** A process that ended is restarted after this delay, as systemd would. */
const RESTART_DELAY_MS = 10_000;
/** Ends a process when this one ends for any reason. */
const ENDS_WITH_PARENT =
  'data:text/javascript,process.once("disconnect",()=>process.kill(process.pid,"SIGTERM"))';

const folder = mkdtempSync(join(tmpdir(), 'processes-'));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());

const adminKey = process.env['ADMIN_API_KEY'] || randomBytes(24).toString('base64url');
/** @type {Map<number, { pid: number, origin: string }>} By number. */
const running = new Map();
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

/** Starts everything, and resolves when it is stopped. */
async function run() {
  const { signal } = stopping;
  const identity = await startIdentity();
  closers.push(identity.close);
  const postgres = await openPostgres();
  closers.push(postgres.end);
  const environment = {
    ...process.env,
    DATABASE_URL: postgres.url,
    AUTH_USERINFO_URL: identity.userinfoUrl,
    ADMIN_API_KEY: adminKey,
    HOST: '127.0.0.1',
    PORT: '0',
  };
  for (let number = 1; number <= PROCESSES; number++) lives.push(keepAlive(number, environment));
  while (running.size < PROCESSES) await delay(50, undefined, { signal });
  const wanted = Number(process.env['PORT'] || LOAD_BALANCER_PORT);
  const balancer = await startBalancer(wanted, () =>
    [...running.values()].map(({ origin }) => origin),
  );
  closers.push(balancer.close);
  if (balancer.port !== wanted) say(`Port ${wanted} is in use; using ${balancer.port}.`);
  process.stdout.write(welcome(`${balancer.origin}/api/v1`, postgres.url));
  await once(signal, 'abort');
}

/**
 * Runs a process, and restarts it when it ends.
 * @param {number} number
 * @param {NodeJS.ProcessEnv} env
 */
async function keepAlive(number, env) {
  const { signal } = stopping;
  while (!signal.aborted) {
    const command = ['--import', ENDS_WITH_PARENT, join(root, 'dist/server.js')];
    const child = spawn(process.execPath, command, {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      signal,
    });
    // The abort signal emits an error; `close` reports the end.
    child.on('error', () => {});
    const lines = (/** @type {import('node:stream').Readable | null} */ input) =>
      createInterface({ input: input ?? Readable.from([]) });
    lines(child.stdout).on('line', (line) => {
      const { event, address } = JSON.parse(line);
      if (event !== 'started') return;
      running.set(number, { pid: child.pid ?? 0, origin: address });
      say(`Process ${number} runs: pid ${child.pid}, API at ${address}`);
    });
    lines(child.stderr).on('line', (line) => say(`process ${number}: ${line}`));
    const [code, killed] = await new Promise((resolve) =>
      child.once('close', (...ended) => resolve(ended)),
    );
    running.delete(number);
    if (signal.aborted) return;
    const again = RESTART_DELAY_MS / 1000;
    say(
      `Process ${number} ended (${killed ?? code}); the other one serves. Restart in ${again} s.`,
    );
    await delay(RESTART_DELAY_MS, undefined, { signal }).catch(() => {});
  }
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
  const customer = '{"name":"Zawadi Temu","phone":"+255 767 300 412"}';
  return `
The service runs at ${api} (Ctrl-C stops it, and removes its records).

Balancer   distributes requests over ${PROCESSES} processes in turn
Postgres   ${postgresUrl}
Tokens     local-NAME is the account local-NAME, for any NAME;
           local-preview owns the sample shop
Admin key  ${adminKey}

Try, in other terminals:

# a new customer, through either process
curl -sw '\\n' ${api}/customers -H 'Authorization: Bearer local-preview' -d '${customer}'

# a request twice a second: its status and its seconds
while sleep 0.5; do curl -so /dev/null -w '%{http_code}  %{time_total} s\\n' ${api}/customers -H 'Authorization: Bearer local-preview'; done

# meanwhile, kill a process
kill -9 ${running.get(1)?.pid}

`;
}
