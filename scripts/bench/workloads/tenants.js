// 10,000 accounts beside one account with the same total, in every
// workload. Both sets have one account more of 100,000 records, in which to search.

import { makeDataSet, NOTHING, sampleOf } from '../data-set.js';
import { inTurn } from '../rounds.js';
import { median, medianRatio } from '../statistics.js';
import { count, loadLines, milliseconds } from '../table.js';
import { answerOf, listening, startOurs } from '../targets.js';
import { readsOf, withTargets } from './reads.js';
import { searchOf } from './search.js';
import { startOnce } from './start-up.js';
import { createOf, updatesOf } from './writes.js';

/** @import { Bench } from '../bench-context.js' */
/** @import { LoadRequest } from '../load.js' */
/** @import { Goal, Line } from '../table.js' */
/** @import { Target } from '../targets.js' */

const TENANTS = 10_000;
/** Requests at a time while tokens are asked for. */
const ASKING = 32;
const SEARCHED = { prefix: 'searched', owners: 1, records: 100_000 };
const ONE = 'one account';
const MANY = '10 000 accounts';
/** Within 10 %. */
const AS_FAST = /** @type {Goal} */ ({ kind: 'least', limit: 0.9 });
const AS_LITTLE = /** @type {Goal} */ ({ kind: 'most', limit: 1.1 });

/** @typedef {{ owner: string, id: string }[]} Sample */

/** @type {readonly { workload: string, requestsOf: (sample: Sample) => LoadRequest[], connections?: number }[]} */
const WORKLOADS = [
  { workload: 'read one', requestsOf: readsOf },
  {
    workload: 'list 20',
    requestsOf: (sample) =>
      sample.map(({ owner }) => ({ method: 'GET', path: '/api/v1/customers', token: owner })),
  },
  { workload: 'create', requestsOf: (sample) => sample.map(({ owner }) => createOf(owner)) },
  { workload: 'update', requestsOf: updatesOf },
  // Last: one account more would push another out of the memory for tokens.
  { workload: 'search 100 000', requestsOf: () => searchOf('searched-0', NOTHING), connections: 2 },
];

export async function tenants(/** @type {Bench} */ bench) {
  const records = bench.tenantRecords;
  const one = await makeDataSet(bench, 'tenants-one', [
    { prefix: 'tenant', owners: 1, records },
    SEARCHED,
  ]);
  const many = await makeDataSet(bench, 'tenants-many', [
    { prefix: 'tenant', owners: TENANTS, records },
    SEARCHED,
  ]);
  const lines = await starts(bench, many.file, one.file);
  return withTargets(async (use) => {
    const identityOrigin = bench.identity.origin;
    const ofMany = await use(listening(startOurs({ file: many.file, identityOrigin })));
    const ofOne = await use(listening(startOurs({ file: one.file, identityOrigin })));
    const size = bench.quick ? TENANTS / 2 : TENANTS;
    const ofAll = sampleOf(many, 'tenant', size);
    const ofIt = sampleOf(one, 'tenant', size);
    bench.say('10 000 accounts: letting the service ask for every token once');
    await askForAll(ofMany, ofAll);
    for (const { workload, requestsOf, connections = bench.connections } of WORKLOADS) {
      const name = `10 000 accounts: ${workload}`;
      if (bench.isOutOfTime()) {
        lines.push({ workload: name, who: 'not measured', result: 'out of time' });
        continue;
      }
      const measured = await inTurn(bench, name, [
        { name: MANY, target: ofMany, connections, requests: requestsOf(ofAll) },
        {
          name: ONE,
          target: ofOne,
          connections,
          requests: requestsOf(ofIt),
        },
      ]);
      lines.push(...loadLines(name, measured, { [ONE]: AS_FAST }));
    }
    return lines;
  });
}

/** Every account's first request has to wait for the provider: none of them is measured. */
async function askForAll(/** @type {Target} */ target, /** @type {Sample} */ sample) {
  const requests = readsOf(sample);
  const ask = async () => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
      await answerOf(target, next);
    }
  };
  await Promise.all(Array.from({ length: ASKING }, ask));
}

/** Start-up and memory. @returns {Promise<Line[]>} */
async function starts(
  /** @type {Bench} */ bench,
  /** @type {string} */ many,
  /** @type {string} */ one,
) {
  const empty = await startOnce(bench, bench.emptyDatabase);
  const ofMany = [];
  const ofOne = [];
  const rounds = bench.quick ? 1 : bench.rounds;
  for (let round = 0; round < rounds; round++) {
    bench.say(`10 000 accounts: start-up, round ${round + 1} of ${rounds}`);
    ofMany.push(await startOnce(bench, many));
    ofOne.push(await startOnce(bench, one));
  }
  const time = (/** @type {{ ms: number }[]} */ all) => all.map(({ ms }) => ms);
  const memory = (/** @type {{ resident: number }[]} */ all) =>
    all.map(({ resident }) => resident - empty.resident);
  return [
    ...compared(
      '10 000 accounts: start-up',
      time(ofMany),
      time(ofOne),
      (ms) => `${milliseconds(ms)} ms`,
    ),
    ...compared(
      '10 000 accounts: memory',
      memory(ofMany),
      memory(ofOne),
      (bytes) => `${count(bytes / 2 ** 20)} MiB`,
    ),
  ];
}

/** @returns {Line[]} */
function compared(
  /** @type {string} */ workload,
  /** @type {readonly number[]} */ many,
  /** @type {readonly number[]} */ one,
  /** @type {(value: number) => string} */ text,
) {
  const ratio = medianRatio(many, one);
  return [
    { workload, who: MANY, result: text(median(many)) },
    { workload, who: ONE, result: text(median(one)), ratio, goal: AS_LITTLE },
  ];
}
