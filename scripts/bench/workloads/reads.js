// Read one, list 20 of 10,000, list 20 of 100,000.

import { makeDataSet, sampleOf } from '../data-set.js';
import { inTurn, medianOf, ratioOf } from '../rounds.js';
import { count, loadLines } from '../table.js';
import { answerOf, listening, otherBuild, startFloor, startOurs, withTargets } from '../targets.js';

/** @import { Bench } from '../bench.js' */
/** @import { LoadRequest } from '../load.js' */
/** @import { Goal } from '../table.js' */

const SMALL = { prefix: 'small', owners: 1, records: 10_000 };
const LARGE = { prefix: 'large', owners: 1, records: 100_000 };
const SAMPLE = 1_000;

/** @returns {LoadRequest} */
const listOf = (/** @type {string} */ token) => ({
  method: 'GET',
  path: '/api/v1/customers',
  token,
});

/** @returns {LoadRequest[]} */
export function readsOf(/** @type {readonly { owner: string, id: string }[]} */ sample) {
  return sample.map(({ owner, id }) => ({
    method: 'GET',
    path: `/api/v1/customers/${id}`,
    token: owner,
  }));
}

export async function readOne(/** @type {Bench} */ bench) {
  return withTargets(async (use) => {
    const { folder, identity } = bench;
    const data = await makeDataSet(bench, 'read', [SMALL]);
    const requests = readsOf(sampleOf(data, 'small', SAMPLE));
    const ours = await use(
      listening(startOurs({ file: data.file, identityOrigin: identity.origin })),
    );
    const [first] = requests;
    if (first === undefined) throw new Error('the sample of the data set has no record to read');
    const floor = await use(startFloor(folder, { GET: await answerOf(ours, first) }));
    const measured = await inTurn(bench, 'read one', [
      { name: 'ours', target: ours, requests },
      ...(await otherBuild(bench, use, 'read', [SMALL], requests)),
      { name: 'Hono floor', target: floor, requests },
    ]);
    return loadLines('read one', measured, { 'Hono floor': { kind: 'least', limit: 0.9 } });
  });
}

export async function listTwenty(/** @type {Bench} */ bench) {
  return withTargets(async (use) => {
    const { folder, identity } = bench;
    const data = await makeDataSet(bench, 'list', [SMALL, LARGE]);
    const ours = await use(
      listening(startOurs({ file: data.file, identityOrigin: identity.origin })),
    );
    // One process for both lists, like ours: each warms it up for the other.
    const others = await otherBuild(bench, use, 'list', [SMALL, LARGE], []);
    const contenders = [];
    for (const requests of [[listOf('small-0')], [listOf('large-0')]]) {
      const [request = listOf('')] = requests;
      const floor = await use(startFloor(folder, { GET: await answerOf(ours, request) }));
      contenders.push(
        { name: 'ours', target: ours, requests },
        ...others.map((other) => ({ ...other, requests })),
        { name: 'floor of the same bytes', target: floor, requests },
      );
    }
    // Measured together, since they are also compared with each other.
    const measured = await inTurn(bench, 'list 20', contenders);
    const [ofSmall] = measured;
    const large = measured.slice(measured.length / 2);
    /** @type {Record<string, Goal>} */
    const goals = { 'floor of the same bytes': { kind: 'least', limit: 0.85 } };
    const toSmall = ratioOf(large[0], ofSmall, 'perSecond');
    return [
      ...loadLines('list 20 of 10 000', measured.slice(0, measured.length / 2), goals),
      ...loadLines('list 20 of 100 000', large, goals),
      {
        workload: 'list 20 of 100 000',
        who: 'ours of 10 000',
        result: `${count(medianOf(ofSmall, 'perSecond'))}/s`,
        ratio: toSmall,
        // Within 5 %, whichever is faster.
        rated: Math.min(toSmall, 1 / toSmall),
        cpuRatio: ratioOf(ofSmall, large[0], 'cpu'),
        goal: { kind: 'least', limit: 0.95 },
      },
    ];
  });
}
