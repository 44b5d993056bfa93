// Search in 100,000 records: compared with a bare scan over the same texts, and
// its effect on other accounts.

import { makeDataSet, NOTHING, ONE_PERCENT, sampleOf } from '../data-set.js';
import { startScript } from '../processes.js';
import { median, medianRatio } from '../statistics.js';
import { milliseconds } from '../table.js';
import { listening, otherBuild, startOurs, withTargets } from '../targets.js';
import { readsOf } from './reads.js';

/** @import { Bench } from '../bench.js' */
/** @import { LoadRequest } from '../load.js' */
/** @import { Line } from '../table.js' */
/** @import { Target } from '../targets.js' */

/** Searches the same records, one search at a time. @typedef {{ name: string, target: Target }} Other */

const RECORDS = 100_000;
const SEARCHED = { prefix: 'searched', owners: 1, records: RECORDS };
const OTHERS = { prefix: 'other', owners: 10, records: 1_000 };
/** Concurrent searches while the others read. */
const SEARCHERS = 2;

const NEEDLES = [
  { workload: 'search 100 000, nothing', needle: NOTHING, matches: 0 },
  { workload: 'search 100 000, 1 %', needle: ONE_PERCENT, matches: RECORDS / 100 },
];

/** @returns {LoadRequest[]} */
function searchOf(/** @type {string} */ owner, /** @type {string} */ needle) {
  const q = encodeURIComponent(needle);
  return [{ method: 'GET', path: `/api/v1/customers?q=${q}`, token: owner }];
}

export function search(/** @type {Bench} */ bench) {
  return withTargets(async (use) => {
    const { identity } = bench;
    const only = await makeDataSet(bench, 'searched', [SEARCHED]);
    const data = await makeDataSet(bench, 'search', [SEARCHED, OTHERS]);
    /** @type {Other[]} */
    const others = await otherBuild(bench, use, 'search', [SEARCHED, OTHERS], []);
    const identityOrigin = identity.origin;
    const ours = await use(listening(startOurs({ file: data.file, identityOrigin })));
    await Promise.all(NEEDLES.map(({ needle, matches }) => expectMatches(ours, needle, matches)));
    const lines = await besideTheLoop(bench, only.file, ours, others);
    const reads = readsOf(sampleOf(data, 'other', OTHERS.records));
    return [...lines, ...(await othersMeanwhile(bench, ours, reads))];
  });
}

/** One search at a time, in turn with the loop, which runs in a process of its own. */
async function besideTheLoop(
  /** @type {Bench} */ bench,
  /** @type {string} */ file,
  /** @type {Target} */ ours,
  /** @type {readonly Other[]} */ others,
) {
  const searched = [{ name: 'ours, over HTTP', target: ours }, ...others];
  const times = NEEDLES.map(() => ({
    searched: searched.map(() => /** @type {number[]} */ ([])),
    loop: /** @type {number[]} */ ([]),
  }));
  const args = ['scan', file, ...NEEDLES.map(({ needle }) => needle)];
  for (let round = 0; round < bench.rounds; round++) {
    bench.say(`search: round ${round + 1} of ${bench.rounds}`);
    const scans = JSON.parse(await startScript('./targets/database-rows.js', args).ended());
    for (const [index, { needle, matches }] of NEEDLES.entries()) {
      for (const [at, { target }] of searched.entries()) {
        times[index]?.searched[at]?.push(await searchTime(bench, target, needle));
      }
      const scan = scans[index];
      if (scan.matches !== matches)
        throw new Error(`the loop over the rows found ${scan.matches} of ${matches} matches`);
      times[index]?.loop.push(median(scan.times));
    }
  }
  return NEEDLES.flatMap(({ workload }, index) => {
    const { searched: [oursTimes = [], ...theirs] = [], loop = [] } = times[index] ?? {};
    /** @type {(who: string, values: readonly number[]) => Line} */
    const line = (who, values) => ({ workload, who, result: `${milliseconds(median(values))} ms` });
    /** @type {Line[]} */
    const lines = [
      line('ours, over HTTP', oursTimes),
      {
        ...line('bare scan loop, lower-cased before', loop),
        ratio: medianRatio(oursTimes, loop),
        goal: { kind: 'most', limit: 1.5 },
      },
    ];
    for (const [at, { name }] of others.entries()) {
      const values = theirs[at] ?? [];
      lines.push({ ...line(name, values), ratio: medianRatio(oursTimes, values) });
    }
    return lines;
  });
}

async function searchTime(
  /** @type {Bench} */ { load, seconds },
  /** @type {Target} */ { origin },
  /** @type {string} */ needle,
) {
  const requests = searchOf('searched-0', needle);
  return (await load({ origin, requests, connections: 1, seconds })).p50;
}

/** Reads by other accounts while one account searches continuously. @returns {Promise<Line[]>} */
async function othersMeanwhile(
  /** @type {Bench} */ { load, rounds, seconds, warmUpSeconds, connections, say },
  /** @type {Target} */ { origin },
  /** @type {LoadRequest[]} */ requests,
) {
  const reads = { origin, requests, connections, seconds };
  const searches = { origin, requests: searchOf('searched-0', NOTHING), connections: SEARCHERS };
  say("search: other accounts' reads: warming up");
  await load({ ...reads, seconds: warmUpSeconds });
  const times = [];
  for (let round = 0; round < rounds; round++) {
    say(`search: other accounts' reads, round ${round + 1} of ${rounds}`);
    const [others] = await Promise.all([load(reads), load({ ...searches, seconds: seconds + 1 })]);
    times.push(others.p99);
  }
  const p99 = median(times);
  return [
    {
      workload: "others' reads during a search",
      who: 'p99, while two search',
      result: `${milliseconds(p99)} ms`,
      goal: { kind: 'most', limit: 25 },
      rated: p99,
    },
  ];
}

async function expectMatches(
  /** @type {Target} */ { origin },
  /** @type {string} */ needle,
  /** @type {number} */ matches,
) {
  const [request] = searchOf('searched-0', needle);
  const headers = { Authorization: 'Bearer searched-0' };
  const response = await fetch(origin + request?.path, { headers });
  const { meta } = /** @type {{ meta: { pagination: { total: number } } }} */ (
    await response.json()
  );
  if (meta.pagination.total !== matches)
    throw new Error(
      `${meta.pagination.total} records match ${needle}; the data set has another number`,
    );
}
