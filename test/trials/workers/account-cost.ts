// What one large account costs: its first request when its object is not in memory, after
// the object was idle, and what its largest answers take. Figures for src/hosts/workers/README.md.

import { join } from 'node:path';
import { cpuMicrosecondsOf, memoryOf } from '../../../scripts/bench/processes.js';
import { median } from '../../../scripts/bench/statistics.js';
import { runSql } from '../../../scripts/run-sql.js';
import { objectDatabase } from '../../support/worker-host.js';
import { megabytes } from '../figures.js';
import { asAccount, openIdentityProvider } from '../service/identity-provider.js';
import type { Finding, TrialOptions } from '../trial.js';
import { type SmallRuntime, startSmallRuntime } from './small-runtime.js';

const SIZES = [1_000, 10_000, 60_000] as const;
const REPEATS = 15;
/** The runtime takes an idle object out of memory after 10 s. */
const IDLE_MS = 15_000;
const FIRST_ORDER = { customer: 'Neema', service: 'Braids', amount: 45_000 };
/** About 430 bytes each, so that 60,000 stay within the account's 48 MB. */
const MORE_ORDERS = (size: number, owner: string) => `
  with recursive numbers(i) as (select 2 union all select i + 1 from numbers where i < ${size})
  insert into records (position, collection, id, body, created_at, updated_at)
  select i, 'orders', printf('ORD-%04d', i),
         json_object('id', printf('ORD-%04d', i), 'owner_sub', '${owner}',
           'customer', 'Customer ' || (i % 997), 'service', 'Braids and beads', 'amount', i,
           'status', 'New', 'paid', i % 3, 'currency', 'TZS', 'note', printf('%0300d', i)),
         1760000000000 + i, 1760000000000 + i
    from numbers`;

export async function accountCost({
  folder,
  say,
}: Pick<TrialOptions, 'folder' | 'say'>): Promise<Finding[]> {
  const identity = await openIdentityProvider();
  const settings = { AUTH_USERINFO_URL: identity.url, AUTH_CACHE_SECONDS: '300' };
  const options = { folder: join(folder, 'cost'), settings, v8Flags: [] };
  let runtime = await startSmallRuntime(options);
  const findings: Finding[] = [];
  try {
    for (const size of SIZES) {
      await timed(runtime, ownerOf(size), 'POST', '/orders', FIRST_ORDER);
    }
    await runtime.stop();
    for (const size of SIZES) {
      const file = objectDatabase(options.folder, 'ACCOUNTS', ownerOf(size));
      await runSql(file, MORE_ORDERS(size, ownerOf(size)));
    }
    for (const size of SIZES) {
      say(`an account of ${size} orders`);
      runtime = await startSmallRuntime(options);
      findings.push(await costOf(runtime, size));
      await runtime.stop();
    }
    return findings;
  } finally {
    await runtime.stop();
    await identity.close();
  }
}

async function costOf(runtime: SmallRuntime, size: number): Promise<Finding> {
  const owner = ownerOf(size);
  const ask = (path: string) => timed(runtime, owner, 'GET', path);
  // What only the first requests of a process pay.
  for (let i = 0; i < REPEATS; i++) await timed(runtime, 'warm-up', 'GET', '/orders');
  const before = memoryOf(runtime.pid).resident;
  const cold = await ask('/orders?page_size=20');
  const held = memoryOf(runtime.pid).resident - before;
  const warm = await repeated(() => ask('/orders?page_size=20'));
  const firstSearch = await ask('/orders?q=customer%20996');
  const search = await repeated(() => ask('/orders?q=customer%20996'));
  const payments = await repeated(() => ask('/payments'));
  const write = await repeated(() => timed(runtime, owner, 'POST', '/customers', CUSTOMER));
  const peak = memoryOf(runtime.pid).peak;
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const woken = await ask('/orders?page_size=20');
  const figures = Object.entries({ cold, warm, firstSearch, search, payments, write, woken });
  return {
    fault: `what an account of ${size} orders of about 430 bytes costs`,
    tried: `${REPEATS} of each request; "woken" after ${IDLE_MS / 1000} s without any`,
    found: `${figures.map(([name, cost]) => `${name} ${inWords(cost)}`).join(', ')}; loading it took ${megabytes(held)}, ${megabytes(peak)} at most`,
    holds: figures.every(([, { status }]) => status < 300),
  };
}

const CUSTOMER = { name: 'Neema', phone: '1' };

interface Cost {
  readonly status: number;
  readonly milliseconds: number;
  /** Processor time of the runtime, whole clock ticks of 10 ms when it is one request. */
  readonly processorMs: number;
}

async function timed(
  { origin, pid }: SmallRuntime,
  owner: string,
  method: string,
  path: string,
  body?: object,
): Promise<Cost> {
  const before = cpuMicrosecondsOf(pid) ?? 0;
  const began = performance.now();
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { ...asAccount(owner), 'Accept-Encoding': 'identity' };
  const response = await fetch(`${origin}/api/v1${path}`, { method, headers, ...sent });
  await response.arrayBuffer();
  const milliseconds = performance.now() - began;
  const processorMs = ((cpuMicrosecondsOf(pid) ?? 0) - before) / 1000;
  return { status: response.status, milliseconds, processorMs };
}

async function repeated(ask: () => Promise<Cost>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let i = 0; i < REPEATS; i++) costs.push(await ask());
  return {
    status: Math.max(...costs.map(({ status }) => status)),
    milliseconds: median(costs.map(({ milliseconds }) => milliseconds)),
    processorMs: costs.reduce((sum, { processorMs }) => sum + processorMs, 0) / REPEATS,
  };
}

function inWords({ milliseconds, processorMs }: Cost): string {
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms (processor ${processorMs.toFixed(0)} ms)`;
}

function ownerOf(size: number): string {
  return `account-of-${size}`;
}
