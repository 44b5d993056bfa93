// Create, update, and a mix of 80 % reads and 20 % writes. Every write of ours
// and of the Fastify peer is on disk before it is answered.

import { CHANGE, makeDataSet, NEW_RECORD, sampleOf } from '../data-set.js';
import { inTurn } from '../rounds.js';
import { loadLines } from '../table.js';
import { answerOf, listening, otherBuild, startFloor, startOurs, startPeer } from '../targets.js';
import { readsOf, sameData, withTargets } from './reads.js';

/** @import { Bench } from '../bench-context.js' */
/** @import { LoadRequest } from '../load.js' */
/** @import { Contender } from '../rounds.js' */
/** @import { Goal } from '../table.js' */
/** @import { Target } from '../targets.js' */

const ACCOUNT = { prefix: 'writer', owners: 1, records: 10_000 };
const SAMPLE = 1_000;
/** One in five of the mix is a write: in turn a create and an update. */
const MIX_SIZE = 5;

/** @returns {LoadRequest} */
export function createOf(/** @type {string} */ owner) {
  return { method: 'POST', path: '/api/v1/customers', token: owner, body: NEW_RECORD };
}

/** @returns {LoadRequest[]} */
export function updatesOf(/** @type {readonly { owner: string, id: string }[]} */ sample) {
  return sample.map(({ owner, id }) => ({
    method: 'PATCH',
    path: `/api/v1/customers/${id}`,
    token: owner,
    body: CHANGE,
  }));
}

export function create(/** @type {Bench} */ bench) {
  return writing(bench, {
    workload: 'create',
    requestsOf: () => [createOf('writer-0')],
    withJsonServer: true,
    goals: {
      'POST floor, stores nothing': { kind: 'least', limit: 0.8 },
      'Fastify peer': { kind: 'least', limit: 6 },
    },
  });
}

export function update(/** @type {Bench} */ bench) {
  return writing(bench, {
    workload: 'update',
    requestsOf: updatesOf,
    withJsonServer: false,
    goals: {
      'POST floor, stores nothing': { kind: 'least', limit: 0.65 },
      'Fastify peer': { kind: 'least', limit: 5 },
    },
  });
}

export function mix(/** @type {Bench} */ bench) {
  return writing(bench, {
    workload: 'mix, 80 % reads',
    requestsOf: (sample) => {
      const reads = readsOf(sample);
      const updates = updatesOf(sample);
      return reads.map((read, n) => {
        if (n % MIX_SIZE !== 0) return read;
        return n % (2 * MIX_SIZE) === 0 ? createOf('writer-0') : (updates[n] ?? read);
      });
    },
    withJsonServer: false,
    goals: {},
  });
}

/**
 * @param {Bench} bench
 * @param {object} plan
 * @param {string} plan.workload
 * @param {(sample: { owner: string, id: string }[]) => LoadRequest[]} plan.requestsOf
 * @param {boolean} plan.withJsonServer
 * @param {Readonly<Record<string, Goal>>} plan.goals
 */
function writing(bench, { workload, requestsOf, withJsonServer, goals }) {
  return withTargets(async (use) => {
    const { folder, identity } = bench;
    const name = workload.replaceAll(/\W+/g, '-');
    const data = await makeDataSet(bench, name, [ACCOUNT]);
    const sample = sampleOf(data, 'writer', SAMPLE);
    const requests = requestsOf(sample);
    const fastify = bench.hasFastify ? await use(startPeer('fastify', folder, data)) : undefined;
    const jsonServer = withJsonServer
      ? await use(startPeer('json-server', folder, data))
      : undefined;
    const ours = await use(
      listening(startOurs({ file: data.file, identityOrigin: identity.origin })),
    );
    const floor = await use(startFloor('hono', folder, await answersOf(ours, fastify, sample)));
    /** @type {Contender[]} */
    const contenders = [
      { name: 'ours', target: ours, requests },
      ...(await otherBuild(bench, use, name, [ACCOUNT], requests)),
      { name: 'POST floor, stores nothing', target: floor, requests },
    ];
    const isAside = goals['Fastify peer'] === undefined;
    if (fastify) contenders.push({ name: 'Fastify peer', target: fastify, requests, isAside });
    if (jsonServer)
      contenders.push({ name: 'json-server', target: jsonServer, requests, isAside: true });
    return loadLines(workload, await inTurn(bench, workload, contenders), goals);
  });
}

/** What the floor repeats; the peer must have answered the same. */
async function answersOf(
  /** @type {Target} */ ours,
  /** @type {Target | undefined} */ fastify,
  /** @type {readonly { owner: string, id: string }[]} */ sample,
) {
  const [read] = readsOf(sample);
  const [change] = updatesOf(sample);
  if (read === undefined || change === undefined)
    throw new Error('the sample of the data set has no record to change');
  const creation = createOf('writer-0');
  const answers = {
    GET: await answerOf(ours, read),
    POST: await answerOf(ours, creation),
    PATCH: await answerOf(ours, change),
  };
  if (fastify) {
    sameData(answers.GET, await answerOf(fastify, read));
    sameData(answers.POST, await answerOf(fastify, creation));
    sameData(answers.PATCH, await answerOf(fastify, change));
  }
  return answers;
}
