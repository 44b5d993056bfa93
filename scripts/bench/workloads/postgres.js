// One and two processes over Postgres, compared with the file: reads, lists, updates, creates, a search.
// Postgres comes from npm and runs on this machine; its processor time is added to Node's.

import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCluster, openServer, openToPostgres } from '../../processes/postgres.js';
import { root } from '../../root.js';
import { CHANGE, makeDataSet, NEW_RECORD, NOTHING, sampleOf } from '../data-set.js';
import { cpuMicrosecondsOf, startProcess, startScript } from '../processes.js';
import { inTurn } from '../rounds.js';
import { loadLines } from '../table.js';
import { listening, startOurs, withTargets } from '../targets.js';
import { readsOf } from './reads.js';

/** @import { Bench } from '../bench.js' */
/** @import { LoadRequest } from '../load.js' */
/** @import { Line } from '../table.js' */
/** @import { Target } from '../targets.js' */

/** @typedef {Awaited<ReturnType<typeof openServer>>} Postgres */

const ONE = { prefix: 'one', owners: 1, records: 10_000 };
const MANY = { prefix: 'many', owners: 64, records: 64_000 };
const SAMPLE = 1_000;

export async function postgres(/** @type {Bench} */ bench) {
  const folder = join(bench.folder, 'postgres');
  mkdirSync(folder);
  // The user of Postgres must be able to traverse it.
  chmodSync(bench.folder, 0o711);
  openToPostgres(folder);
  const data = join(folder, 'data');
  makeCluster(data);
  const server = await openServer(data, ['shared_buffers=512MB']);
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  try {
    return await work(bench, server, pid);
  } finally {
    await server.end();
  }
}

/** @returns {Promise<Line[]>} */
function work(
  /** @type {Bench} */ bench,
  /** @type {Postgres} */ server,
  /** @type {number} */ postmaster,
) {
  return withTargets(async (use) => {
    const { file, accounts } = await makeDataSet(bench, 'beside-postgres', [ONE, MANY]);
    const ofFile = await use(listening(startOurs({ file, identityOrigin: bench.identity.origin })));
    const url = await server.make('bench');
    const first = await use(startOver(bench, url));
    await fill(server, accounts);
    const second = await use(startOver(bench, url));
    const one = together([first], postmaster);
    const two = together([first, second], postmaster);
    const floor = together(
      [await use(listening(startScript('./targets/pg-floor.js', [url])))],
      postmaster,
    );
    const reads = readsOf(sampleOf({ file, accounts, payloadBytes: 0 }, ONE.prefix, SAMPLE));
    const changed = sampleOf({ file, accounts, payloadBytes: 0 }, MANY.prefix, SAMPLE);
    const customers = '/api/v1/customers';
    /** @type {[string, LoadRequest[]][]} */
    const rows = [
      ['read one', reads],
      ['list 20 of 10 000', [{ method: 'GET', path: customers, token: 'one-0' }]],
      [
        'PATCH',
        changed.map(({ owner, id }) => ({
          method: 'PATCH',
          path: `${customers}/${id}`,
          token: owner,
          body: CHANGE,
        })),
      ],
      [
        'create, 64 accounts',
        Array.from({ length: MANY.owners }, (_, account) => ({
          method: 'POST',
          path: customers,
          token: `many-${account}`,
          body: NEW_RECORD,
        })),
      ],
      [
        'search for nothing in 10 000',
        [{ method: 'GET', path: `${customers}?q=${encodeURIComponent(NOTHING)}`, token: 'one-0' }],
      ],
    ];
    /** @type {Line[]} */
    const lines = [];
    for (const [workload, requests] of rows) {
      const measured = await inTurn(bench, workload, [
        { name: 'one process over Postgres', target: one, requests },
        { name: 'two processes', target: two, requests },
        { name: 'the file', target: ofFile, requests },
        // Only a read is comparable with one SELECT by key.
        ...(requests === reads ? [{ name: 'bare pg, one SELECT', target: floor, requests }] : []),
      ]);
      lines.push(...loadLines(workload, measured));
    }
    return lines;
  });
}

function startOver(/** @type {Bench} */ { identity }, /** @type {string} */ url) {
  return listening(
    startProcess(process.execPath, [join(root, 'dist/server.js')], {
      PORT: '0',
      DATABASE_URL: url,
      SAMPLE_RECORDS: 'off',
      AUTH_USERINFO_URL: `${identity.origin}/userinfo`,
      AUTH_CACHE_SECONDS: '300',
    }),
  );
}

/** Splits the connections among them; the processor time is the total, Postgres included. @returns {Target} */
function together(/** @type {readonly Target[]} */ targets, /** @type {number} */ postmaster) {
  const [first] = targets;
  if (first === undefined) throw new Error('no process has started');
  return {
    ...first,
    origins: targets.map(({ origin }) => origin),
    cpu: () =>
      [postmaster, ...childrenOf(postmaster), ...targets.map((target) => target.process.pid)]
        .map((pid) => cpuMicrosecondsOf(pid) ?? 0)
        .reduce((sum, time) => sum + time),
  };
}

/** Processes of Postgres; its connections stay for the whole run. */
function childrenOf(/** @type {number} */ postmaster) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === postmaster;
      } catch {
        return false;
      }
    });
}

/** The records of the data set, in the tables of a process that has made them. */
async function fill(
  /** @type {Postgres} */ server,
  /** @type {readonly { prefix: string, owners: number, records: number, first: number }[]} */ accounts,
) {
  for (const { prefix, owners, records, first } of accounts) {
    await server.sql('bench', FILL, [prefix, owners, records, first, Date.now()]);
  }
  const statements = [
    'delete from account_totals',
    `insert into account_totals select owner, collection, count(*), sum(bytes), max(updated_at)
       from records group by 1, 2`,
    `select setval('customers_numbers', (select max(position) from records))`,
    'vacuum analyze records',
    'checkpoint',
  ];
  for (const statement of statements) await server.sql('bench', statement);
}

const FILL = `
  insert into records (owner, collection, id, position, bytes, created_at, updated_at, status, body, folded)
  select owner, 'customers', id, position, octet_length(body), $5::bigint, $5::bigint, null, body, null
    from (select owner, id, position, json_build_object('id', id, 'owner_sub', owner,
        'name', 'Neema Mushi ' || position, 'phone', '+255 713 445 210',
        'city', 'Dar es Salaam', 'likes', json_build_array('braids', 'twists'),
        'notes', 'comes on Saturdays, prefers the morning')::text as body
      from (select $1::text || '-' || (n % $2::integer) as owner, n + $4::bigint as position,
          'CUS-' || to_char(n + $4::bigint, 'FM999999990000') as id
        from generate_series(0, $3::integer - 1) as n) numbered) made`;
