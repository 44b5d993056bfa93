// A fleet over Postgres beside the file: creates and reads of one process, and reads that another
// process of the fleet answers. Postgres comes from npm and is on this machine.

import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeCluster, openServer, openToPostgres } from '../../fleet/postgres.js';
import { root } from '../../setup.js';
import { makeDataSet, ownersOf, sampleOf } from '../data-set.js';
import { startProcess } from '../processes.js';
import { inTurn } from '../rounds.js';
import { loadLines } from '../table.js';
import { copied, listening, startOurs } from '../targets.js';
import { readsOf, withTargets } from './reads.js';
import { createOf } from './writes.js';

/** @import { Bench } from '../bench-context.js' */
/** @import { DataSet } from '../data-set.js' */
/** @import { Target } from '../targets.js' */

/** @typedef {Awaited<ReturnType<typeof openServer>>} Postgres */

const ACCOUNTS = { prefix: 'fleet', owners: 64, records: 12_800 };
const SAMPLE = 1_000;
const SHARDS = 256;
const KEY = 'the-key-of-the-fleet-of-the-bench';

export async function fleet(/** @type {Bench} */ bench) {
  const folder = join(bench.folder, 'postgres');
  mkdirSync(folder);
  // The user of Postgres goes through it.
  chmodSync(bench.folder, 0o711);
  openToPostgres(folder);
  makeCluster(join(folder, 'data'));
  const postgres = await openServer(join(folder, 'data'));
  try {
    const data = await makeDataSet(bench, 'fleet', [ACCOUNTS]);
    // Reads first: after the creates Postgres cleans up, on the same cores.
    return [...(await reads(bench, postgres, data)), ...(await creates(bench, postgres, data))];
  } finally {
    await postgres.end();
  }
}

function creates(
  /** @type {Bench} */ bench,
  /** @type {Postgres} */ postgres,
  /** @type {DataSet} */ data,
) {
  return withTargets(async (use) => {
    const requests = ownersOf(ACCOUNTS).map(createOf);
    const file = await use(
      listening(
        startOurs({ file: copied(data, 'created').file, identityOrigin: bench.identity.origin }),
      ),
    );
    const one = await use(startMember(bench, await filled(postgres, 'one', data)));
    await heldBy(postgres, 'one', 1);
    const url = await filled(postgres, 'three', data);
    const three = [await use(startMember(bench, url))];
    three.push(await use(startMember(bench, url)), await use(startMember(bench, url)));
    await heldBy(postgres, 'three', 3);
    const measured = await inTurn(bench, 'create', [
      { name: 'one process over Postgres', target: one, requests },
      { name: 'the file', target: file, requests },
      { name: 'one of three processes, two thirds forwarded', target: together(three), requests },
    ]);
    return loadLines('create, 64 accounts', measured, {
      'the file': { kind: 'least', limit: 0.6 },
    });
  });
}

function reads(
  /** @type {Bench} */ bench,
  /** @type {Postgres} */ postgres,
  /** @type {DataSet} */ data,
) {
  return withTargets(async (use) => {
    const all = readsOf(sampleOf(data, ACCOUNTS.prefix, SAMPLE));
    const file = await use(
      listening(
        startOurs({ file: copied(data, 'read').file, identityOrigin: bench.identity.origin }),
      ),
    );
    const url = await filled(postgres, 'two', data);
    const members = [await use(startMember(bench, url)), await use(startMember(bench, url))];
    await heldBy(postgres, 'two', 2);
    const [first] = members;
    if (first === undefined) throw new Error('no process has started');
    const own = await ownersAt(postgres, 'two', first);
    const requests = all.filter(({ token }) => own.has(String(token)));
    const others = all.filter(({ token }) => !own.has(String(token)));
    const measured = await inTurn(bench, 'read one', [
      { name: 'of an own account', target: together(members), requests },
      { name: 'the file', target: file, requests },
      { name: "of another process's account", target: together(members), requests: others },
    ]);
    return loadLines('read one, in a fleet of two', measured);
  });
}

/** A process of a fleet, with the address where the others reach it. */
async function startMember(/** @type {Bench} */ { identity }, /** @type {string} */ url) {
  const process_ = startProcess(process.execPath, [join(root, 'dist/server.js')], {
    PORT: '0',
    DATABASE_URL: url,
    FLEET_KEY: KEY,
    AUTH_USERINFO_URL: `${identity.origin}/userinfo`,
    AUTH_CACHE_SECONDS: '300',
  });
  const [, inside = ''] = await process_.saw(/"internal":"([^"]+)"/);
  return { ...(await listening(process_)), inside };
}

/** The first one is asked; the processor time is that of all. */
function together(/** @type {readonly Target[]} */ [first, ...others]) {
  if (first === undefined) throw new Error('no process has started');
  return { ...first, others: others.map((target) => target.process.pid) };
}

/** A database with the records of the file, by the move. Resolves with its URL. */
async function filled(
  /** @type {Postgres} */ postgres,
  /** @type {string} */ name,
  /** @type {DataSet} */ data,
) {
  const url = await postgres.make(name);
  const { file } = copied(data, `to-${name}`);
  const words = [join(root, 'dist/manage.js'), 'move', '--from', file, '--to', url];
  await startProcess(process.execPath, words).ended();
  return url;
}

/** Waits until so many processes share all shards. */
async function heldBy(
  /** @type {Postgres} */ postgres,
  /** @type {string} */ name,
  /** @type {number} */ processes,
) {
  const share = Math.ceil(SHARDS / processes);
  const held = `select count(*)::int from shards where holder is not null group by holder`;
  for (;;) {
    const counts = (await postgres.sql(name, held)).map(({ count }) => Number(count));
    const sum = counts.reduce((total, count) => total + count, 0);
    if (sum === SHARDS && counts.length === processes && Math.max(...counts) <= share) return;
    await delay(100);
  }
}

async function ownersAt(
  /** @type {Postgres} */ postgres,
  /** @type {string} */ name,
  /** @type {{ inside: string }} */ { inside },
) {
  const rows = await postgres.sql(
    name,
    `select distinct owner from records join shards using (shard)
       join processes on processes.id = shards.holder where url = $1`,
    [inside],
  );
  return new Set(rows.map(({ owner }) => String(owner)));
}
