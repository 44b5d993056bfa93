// Create and update. The service syncs every write to disk before it responds.

import { CHANGE, makeDataSet, NEW_RECORD, sampleOf } from '../data-set.js';
import { interleave } from '../rounds.js';
import { loadLines } from '../table.js';
import { capture, listening, otherBuild, startFloor, startOurs, withTargets } from '../targets.js';

/** @import { Bench } from '../bench.js' */
/** @import { LoadRequest } from '../load.js' */

const ACCOUNT = { prefix: 'writer', owners: 1, records: 10_000 };
const SAMPLE = 1_000;
const FLOOR = 'POST floor, stores nothing';

/** @type {LoadRequest} */
const CREATE = { method: 'POST', path: '/api/v1/customers', token: 'writer-0', body: NEW_RECORD };

/** @returns {LoadRequest[]} */
function updatesOf(/** @type {readonly { owner: string, id: string }[]} */ sample) {
  return sample.map(({ owner, id }) => ({
    method: 'PATCH',
    path: `/api/v1/customers/${id}`,
    token: owner,
    body: CHANGE,
  }));
}

export function create(/** @type {Bench} */ bench) {
  return writing(bench, 'create', () => [CREATE], 0.8);
}

export function update(/** @type {Bench} */ bench) {
  return writing(bench, 'update', updatesOf, 0.65);
}

/**
 * @param {Bench} bench
 * @param {string} workload
 * @param {(sample: { owner: string, id: string }[]) => LoadRequest[]} requestsOf
 * @param {number} least Of the floor's rate.
 */
function writing(bench, workload, requestsOf, least) {
  return withTargets(async (use) => {
    const { folder, identity } = bench;
    const data = await makeDataSet(bench, workload, [ACCOUNT]);
    const sample = sampleOf(data, 'writer', SAMPLE);
    const requests = requestsOf(sample);
    const ours = await use(
      listening(startOurs({ file: data.file, identityOrigin: identity.origin })),
    );
    const [change = CREATE] = updatesOf(sample);
    const responses = { POST: await capture(ours, CREATE), PATCH: await capture(ours, change) };
    const measured = await interleave(bench, workload, [
      { name: 'ours', target: ours, requests },
      ...(await otherBuild(bench, use, workload, [ACCOUNT], requests)),
      { name: FLOOR, target: await use(startFloor(folder, responses)), requests },
    ]);
    return loadLines(workload, measured, { [FLOOR]: { kind: 'least', limit: least } });
  });
}
