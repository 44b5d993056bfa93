// `npm run growth`: 1, 100 and 1 000 accounts in Miniflare, the same work each,
// one request after the other: what a request takes, how often the directory is
// told, and what the operator's views take. `-- 1 10 100` takes other numbers.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { startIdentity } from '../identity.js';
import { makeReady, root } from '../setup.js';
import { miniflareOptions, readDeployment } from './deployment.js';

const ADMIN_KEY = 'the-operator-key-of-the-growth-script';
const VIEWS = ['overview', 'usage', 'accounts?page_size=200', 'accounts?q=zawadi'];
/** The built Worker, which counts the calls to the directory. */
const COUNTING_WORKER = `
  import worker, { AccountObject, DirectoryObject as Directory } from './worker.js';
  let deliveries = 0;
  export { AccountObject };
  export class DirectoryObject extends Directory {
    apply(delivery) {
      deliveries++;
      return super.apply(delivery);
    }
  }
  export default {
    fetch: (request, env) =>
      request.url.endsWith('/deliveries')
        ? Response.json(deliveries)
        : worker.fetch(request, env),
  };
`;

/** The requests of each account. @type {readonly (readonly [method: string, path: string, body?: object])[]} */
const WORK = [
  ['POST', '/businesses', { businessName: 'Zawadi Salon' }],
  ...Array.from(
    { length: 4 },
    () => /** @type {const} */ (['POST', '/customers', { name: 'Neema', phone: '1' }]),
  ),
  ...Array.from(
    { length: 4 },
    () =>
      /** @type {const} */ ([
        'POST',
        '/orders',
        { customer: 'Neema', service: 'Braids', amount: 45000 },
      ]),
  ),
  ...Array.from(
    { length: 3 },
    (_, i) => /** @type {const} */ (['PATCH', `/orders/ORD-000${i + 1}`, { paid: 5000 }]),
  ),
  ['DELETE', '/customers/CUS-0001'],
  ...Array.from({ length: 10 }, () => /** @type {const} */ (['GET', '/orders/ORD-0002'])),
  ...Array.from({ length: 8 }, () => /** @type {const} */ (['GET', '/orders'])),
  ...Array.from({ length: 5 }, () => /** @type {const} */ (['GET', '/customers?q=neema'])),
  ...Array.from({ length: 4 }, () => /** @type {const} */ (['GET', '/payments'])),
];

/** Records that this leaves. */
const RECORDS_LEFT = 8;
const SAMPLE_RECORDS = 19;
const WARM_UP_ACCOUNTS = 5;

const numbers = process.argv.slice(2).map(Number);
if (!numbers.every((number) => Number.isInteger(number) && number >= 1 && number <= 10_000)) {
  process.stderr.write(
    'Usage: npm run growth -- [NUMBER OF ACCOUNTS]…; each number is from 1 to 10000\n',
  );
  process.exit(1);
}
await makeReady();
for (const accounts of numbers.length > 0 ? numbers : [1, 100, 1_000]) await grow(accounts);

async function grow(/** @type {number} */ accounts) {
  const folder = mkdtempSync(join(tmpdir(), 'service-growth-'));
  const identity = await startIdentity();
  const miniflare = await start(folder, identity.userinfoUrl);
  const { origin } = await miniflare.ready;
  const ask = sender(origin);
  try {
    // Only the first requests of a process take this time.
    for (let i = 0; i < WARM_UP_ACCOUNTS; i++) await work(ask, `warm-up-${i}`);
    await told(origin, WARM_UP_ACCOUNTS);
    const before = await (await fetch(`${origin}/deliveries`)).json();
    /** @type {number[]} */
    const times = [];
    for (let i = 0; i < accounts; i++) times.push(...(await work(ask, `account-${i}`)));
    await told(origin, WARM_UP_ACCOUNTS + accounts);
    const deliveries = Number(await (await fetch(`${origin}/deliveries`)).json()) - Number(before);
    const views = [];
    for (const view of VIEWS) {
      const took = [];
      for (let i = 0; i < 5; i++) took.push(await ask('operator', 'GET', `/admin/${view}`));
      views.push(`${view} ${milliseconds(at(took, 0.5))}`);
    }
    const writes = accounts * WORK.filter(([method]) => method !== 'GET').length;
    process.stdout.write(
      `${accounts} accounts, ${times.length} requests, ${writes} writes: a request takes ` +
        `${milliseconds(at(times, 0.5))} (median), ${milliseconds(at(times, 0.95))} (95 of 100)\n` +
        `  directory: ${deliveries} deliveries, ${(deliveries / times.length).toFixed(2)} a request; ` +
        `${await directoryBytes(folder)} bytes\n  views: ${views.join(', ')}\n`,
    );
  } finally {
    await miniflare.dispose();
    await identity.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** @typedef {(token: string, method: string, path: string, body?: object) => Promise<number>} Ask Resolves with how long it took, in milliseconds. */

/** @returns {Ask} */
function sender(/** @type {string} */ origin) {
  return async (token, method, path, body) => {
    const started = performance.now();
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        'Accept-Encoding': 'identity',
        'X-Service-Admin-Key': ADMIN_KEY,
        Authorization: `Bearer local-${token}`,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`);
    return performance.now() - started;
  };
}

async function work(/** @type {Ask} */ ask, /** @type {string} */ account) {
  const times = [];
  for (const [method, path, body] of WORK) times.push(await ask(account, method, path, body));
  return times;
}

/** Waits until the directory has heard of everything that these accounts did. */
async function told(/** @type {string} */ origin, /** @type {number} */ accounts) {
  const wanted = accounts * RECORDS_LEFT + SAMPLE_RECORDS;
  const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
  for (;;) {
    const response = await fetch(`${origin}/api/v1/admin/overview`, { headers });
    if ((await response.json()).data.record_count === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function start(/** @type {string} */ folder, /** @type {string} */ userinfoUrl) {
  const settings = {
    AUTH_USERINFO_URL: userinfoUrl,
    AUTH_CACHE_SECONDS: '300',
    ADMIN_API_KEY: ADMIN_KEY,
  };
  const options = miniflareOptions({ folder, settings });
  const entry = {
    type: /** @type {const} */ ('ESModule'),
    path: join(root, readDeployment().folder, 'counting.js'),
    contents: COUNTING_WORKER,
  };
  return new Miniflare({ ...options, modules: [entry, ...options.modules], host: '127.0.0.1' });
}

async function directoryBytes(/** @type {string} */ folder) {
  const { name, durableObjects } = readDeployment();
  const path = join(folder, `${name}-${durableObjects['DIRECTORY']}`);
  const files = (await readdir(path)).filter((file) => /^[0-9a-f]{64}\.sqlite(-wal)?$/.test(file));
  return files.reduce((bytes, file) => bytes + statSync(join(path, file)).size, 0);
}

/** The time that this share of all is below. */
function at(/** @type {number[]} */ times, /** @type {number} */ share) {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

function milliseconds(/** @type {number} */ time) {
  return `${time.toFixed(1)} ms`;
}
