// Read one, list 20 of 10,000, list 20 of 100,000.

import { makeDataSet, sampleOf } from '../data-set.js';
import { interleave } from '../rounds.js';
import { count, loadLines } from '../table.js';
import { capture, listening, otherBuild, startFloor, startOurs, withTargets } from '../targets.js';

/** @import { Bench } from '../bench.js' */
/** @import { LoadRequest } from '../load.js' */

const SMALL = { prefix: 'small', owners: 1, records: 10_000 };
const LARGE = { prefix: 'large', owners: 1, records: 100_000 };
const SAMPLE = 1_000;
const FLOOR = 'floor of the same bytes';

/** @returns {LoadRequest} */
const listOf = (/** @type {string} */ token) => ({
  method: 'GET',
  path: '/api/v1/customers',
  token,
});

/** @returns {LoadRequest[]} */
function readsOf(/** @type {readonly { owner: string, id: string }[]} */ sample) {
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
    const floor = await use(startFloor(folder, { GET: await capture(ours, first) }));
    const measured = await interleave(bench, 'read one', [
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
    const others = await otherBuild(bench, use, 'list', [SMALL, LARGE], []);
    const lines = [];
    for (const { prefix, records } of [SMALL, LARGE]) {
      const workload = `list 20 of ${count(records)}`;
      const request = listOf(`${prefix}-0`);
      const floor = await use(startFloor(folder, { GET: await capture(ours, request) }));
      const requests = [request];
      const measured = await interleave(bench, workload, [
        { name: 'ours', target: ours, requests },
        ...others.map((other) => ({ ...other, requests })),
        { name: FLOOR, target: floor, requests },
      ]);
      lines.push(...loadLines(workload, measured, { [FLOOR]: { kind: 'least', limit: 0.85 } }));
    }
    return lines;
  });
}
