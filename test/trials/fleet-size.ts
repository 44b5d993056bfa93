// The trial `fleet-size`: how long a process takes to load a large database of a fleet, and how
// long the operator's views take, which are answered by SQL.

import { setTimeout as delay } from 'node:timers/promises';
import { memoryOf } from '../../scripts/bench/processes.js';
import { openPostgres, type PostgresServer } from '../support/postgres.js';
import { type Client, clientOf } from './service/requests.js';
import { spawnServer } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const QUICK_SIZES = [100_000];
const SIZES = [1_000_000];
const LONG_SIZES = [...SIZES, 10_000_000];
const RECORDS_PER_ACCOUNT = 100;
const FILLED_AT_ONCE = 1_000_000;
const ROUNDS = 5;
/** What the fleet's page promises of a view. */
const VIEW_MAX_MS = 500;
const DATABASE = 'sized';
/** Of a heap for 10,000,000 records. */
const NODE_OPTIONS = ['--max-old-space-size=12000'];

export const fleetSize: Trial = async ({ quick, long, say }) => {
  const findings: Finding[] = [];
  for (const records of quick ? QUICK_SIZES : long ? LONG_SIZES : SIZES) {
    const postgres = await openPostgres(['max_wal_size=8GB', 'shared_buffers=1GB']);
    try {
      findings.push(await sized(postgres, records, say));
    } finally {
      await postgres.close();
    }
  }
  return findings;
};

async function sized(
  postgres: PostgresServer,
  records: number,
  say: (text: string) => void,
): Promise<Finding> {
  const start = () => startOn(postgres.urlOf(DATABASE));
  await postgres.make(DATABASE);
  const empty = await start();
  await empty.service.end('SIGTERM');
  const accounts = records / RECORDS_PER_ACCOUNT;
  for (let first = 0; first < records; first += FILLED_AT_ONCE) {
    const last = Math.min(first + FILLED_AT_ONCE, records);
    await postgres.sql(DATABASE, FILL, [first, last - 1, accounts]);
    say(`${last} of ${records} records are there`);
  }
  for (const statement of COUNT) await postgres.sql(DATABASE, statement);
  const { service, ms } = await start();
  await holdsAll(postgres);
  const heldMs = performance.now() - service.begun;
  const { peak } = memoryOf(service.child.pid ?? 0);
  const client = clientOf(String(service.origin));
  const views = await viewsOf(client, accounts);
  client.close();
  await service.end('SIGTERM');
  const slowest = Math.max(...views.map(([, time]) => time));
  return {
    fault: `none: ${records.toLocaleString('en')} records of ${accounts.toLocaleString('en')} accounts in Postgres`,
    tried: `one process listened after ${seconds(ms)}, held all shards after ${seconds(heldMs)}, and took ${Math.round(peak / 1e6)} MB at most`,
    found: views.map(([name, time]) => `${name} ${Math.round(time)} ms`).join(', '),
    holds: slowest < VIEW_MAX_MS,
  };
}

async function startOn(url: string) {
  const begun = performance.now();
  const service = spawnServer({
    environment: {
      DATABASE_URL: url,
      AUTH_USERINFO_URL: 'http://127.0.0.1:1/',
      SAMPLE_RECORDS: 'off',
    },
    nodeOptions: NODE_OPTIONS,
  });
  const origin = (await service.saw('started'))['address'];
  const ms = performance.now() - begun;
  return { service: Object.assign(service, { begun, origin }), ms };
}

async function holdsAll(postgres: PostgresServer): Promise<void> {
  const free = 'select 1 from shards where holder is null limit 1';
  while ((await postgres.sql(DATABASE, free)).length > 0) await delay(20);
}

/** The middle of the rounds, in milliseconds. */
async function viewsOf(client: Client, accounts: number): Promise<[string, number][]> {
  const views = {
    overview: '/admin/overview',
    usage: '/admin/usage',
    'accounts, first page': '/admin/accounts?page_size=50',
    'accounts, last page': `/admin/accounts?page_size=50&page=${accounts / 50}`,
    'one account': `/admin/accounts?q=account-${accounts - 1}`,
    'audit log': '/admin/audit?page_size=50',
  };
  const times: [string, number][] = [];
  for (const [name, path] of Object.entries(views)) {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      await client.get(path);
      rounds.push(performance.now() - begun);
    }
    times.push([name, rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0]);
  }
  return times;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** `$1` to `$2`: numbers of the records; `$3`: how many accounts, each with a profile. As commits would have left them. */
const FILL = `
  insert into records (shard, position, collection, id, owner, body, bytes, created_at, updated_at)
  select get_byte(sha256(convert_to(owner, 'UTF8')), 3), number + 1,
         case when number < $3 then 'businesses'
              else (array['customers', 'orders', 'services', 'team', 'expenses'])[1 + (number / $3) % 5]
         end,
         id, owner, body, octet_length(body), 1767225600000 + number, 1767225600000 + number
    from generate_series($1::bigint, $2::bigint) number,
         lateral (select 'account-' || number % $3 as owner, 'CUS-' || number as id) named,
         lateral (select '{"id":"' || id || '","owner_sub":"' || owner ||
           '","name":"Neema Mushi","phone":"+255 713 445 210","city":"Dar es Salaam",' ||
           '"likes":["braids","twists"],"notes":"comes on Saturdays, prefers the morning"}' as body
         ) text`;

const COUNT = [
  `insert into account_totals (owner, collection, records, bytes)
   select owner, collection, count(*), sum(bytes) from records group by 1, 2`,
  'vacuum analyze',
];
