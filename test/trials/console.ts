// What the operator's console costs: the bytes of its pages, how soon they come
// from a large service, and what an open page asks of that service.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSql } from '../../scripts/run-sql.js';
import { FILL_COLUMNS } from '../../src/storage/file/file-schema.js';
import { startConsoleProcess } from '../support/console-process.js';
import { Visitor } from '../support/console-visitor.js';
import { Metrics, operationsOf } from '../support/operations.js';
import { startServer } from '../support/server-process.js';
import type { Finding, Trial } from './trial.js';

const DIST = fileURLToPath(new URL('../../dist/console/', import.meta.url));
const KEY = 'the-operators-key-of-the-console-trial';
const RECORDS = 100_000;
const ACCOUNTS = 10_000;
const ROUNDS = 30;
const QUICK_ROUNDS = 5;
const MINUTES_OPEN = 3;
const MINUTE_MS = 60_000;
const PAGE_MAX_BYTES = 30_000;
const REQUESTS_A_MINUTE_MAX = 6;

const PAGES = {
  overview: '/',
  accounts: '/accounts',
  'a search of accounts': '/accounts?q=shop-77',
  'an account': '/accounts/shop-77/orders',
  'a record': '/accounts/shop-77/orders/ORD-100077',
  'its form': '/accounts/shop-77/orders/ORD-100077/change',
  audit: '/audit',
  health: '/health',
} as const;

export const consoleCost: Trial = async ({ quick, folder, say }) => {
  const file = join(folder, 'service.db');
  const environment = { DATABASE_URL: `file:${file}`, ADMIN_API_KEY: KEY, OPS_PORT: '0' };
  await (await startServer(environment)).stop();
  await runSql(file, insertRecords(), FILL_COLUMNS);
  const server = await startServer(environment);
  const operations = operationsOf(server);
  const running = await startConsoleProcess({
    SERVICE_URL: `${server.origin}/api/v1`,
    ADMIN_API_KEY: KEY,
    CONSOLE_OPS_URL: operations,
  });
  try {
    const visitor = new Visitor(running.origin);
    await visitor.signIn(running.code());
    say('pages');
    const findings = [styleAndScript()];
    for (const [name, path] of Object.entries(PAGES)) {
      const rounds = quick ? QUICK_ROUNDS : ROUNDS;
      const processes = [running.child.pid ?? 0, server.child.pid ?? 0] as const;
      findings.push(await timed(visitor, name, path, rounds, processes));
    }
    if (!quick) {
      say(`an overview that is open for ${MINUTES_OPEN} minutes`);
      findings.push(await openOverview(visitor, operations));
    }
    return findings;
  } finally {
    await running.stop();
    await server.stop();
  }
};

function styleAndScript(): Finding {
  const [style = 0, script = 0] = ['console.css', 'page-script.js'].map(
    (name) => readFileSync(join(DIST, name)).length,
  );
  return {
    fault: 'what every page loads once',
    tried: 'as built',
    found: `style ${style} bytes, script ${script} bytes`,
    holds: style < 10_000 && script < 1_500,
  };
}

/** The processor time does not depend on what else the machine does. */
async function timed(
  visitor: Visitor,
  name: string,
  path: string,
  rounds: number,
  processes: readonly [number, number],
): Promise<Finding> {
  const before = processes.map(processorMs);
  const times: number[] = [];
  let bytes = 0;
  let failed = 0;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    const { status, text } = await visitor.get(path);
    times.push(performance.now() - begun);
    bytes = Buffer.byteLength(text);
    if (status !== 200) failed++;
  }
  const [own = '', served = ''] = processes.map((id, index) =>
    ((processorMs(id) - (before[index] ?? 0)) / rounds).toFixed(1),
  );
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
  return {
    fault: `the page ${name}, ${RECORDS} records in ${ACCOUNTS} accounts`,
    tried: `${rounds} times, one after the other`,
    found: `${bytes} bytes; median ${at(0.5)} ms, longest ${at(1)} ms; processor ${own} ms of the console, ${served} ms of the service; ${failed} failed`,
    holds: failed === 0 && bytes < PAGE_MAX_BYTES,
  };
}

/** Of a process so far; Linux counts in steps of 10 ms. */
function processorMs(id: number): number {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Loads the overview once a minute, as the script of an open page does. */
async function openOverview(visitor: Visitor, operations: string): Promise<Finding> {
  const before = await requestsOf(operations);
  for (let minute = 0; minute < MINUTES_OPEN; minute++) {
    await visitor.get('/');
    await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
  }
  const perMinute = ((await requestsOf(operations)) - before) / MINUTES_OPEN;
  return {
    fault: 'an overview that stays open',
    tried: `${MINUTES_OPEN} minutes`,
    found: `${perMinute.toFixed(1)} requests a minute to the service`,
    holds: perMinute <= REQUESTS_A_MINUTE_MAX,
  };
}

async function requestsOf(operations: string): Promise<number> {
  return (await Metrics.of(operations)).total('service_http_requests_total');
}

/** Orders of all accounts in turn, made in the course of the last 40 days. */
function insertRecords(): string {
  const day = 86_400_000;
  const start = Date.now() - 40 * day;
  const step = Math.floor((40 * day) / RECORDS);
  return `
    with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${RECORDS})
    insert into records (position, collection, id, body, created_at, updated_at)
    select 1000 + i, 'orders', 'ORD-' || (100000 + i),
           json_object('id', 'ORD-' || (100000 + i), 'owner_sub', 'shop-' || (i % ${ACCOUNTS}),
             'customer', 'Mteja ' || i, 'service', 'Kusuka', 'amount', 1000 + i, 'status', 'New',
             'paid', 0, 'currency', 'TZS', 'note', 'rangi ya kahawia, saa tatu'),
           ${start} + ${step} * i, ${start} + ${step} * i
      from n`;
}
