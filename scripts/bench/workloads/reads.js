// Read one, list 20 of 10,000, list 20 of 100,000.

import { makeDataSet, sampleOf } from '../data-set.js';
import { inTurn, medianOf, ratioOf } from '../rounds.js';
import { count, loadLines } from '../table.js';
import {
  answerOf,
  copied,
  listening,
  otherBuild,
  startFloor,
  startOurs,
  startPeer,
} from '../targets.js';

/** @import { Bench } from '../bench-context.js' */
/** @import { LoadRequest } from '../load.js' */
/** @import { Line } from '../table.js' */
/** @import { Target } from '../targets.js' */

const SMALL = { prefix: 'small', owners: 1, records: 10_000 };
const LARGE = { prefix: 'large', owners: 1, records: 100_000 };
const SAMPLE = 1_000;

/** Stops the processes that a row of workload started, last first. */
export async function withTargets(
  /** @type {(use: <T extends Target>(target: Promise<T> | T) => Promise<T>) => Promise<Line[]>} */ run,
) {
  /** @type {Target[]} */
  const started = [];
  const lines = await run(async (starting) => {
    const target = await starting;
    started.push(target);
    return target;
  });
  for (const target of started.reverse()) await target.process.stop();
  return lines;
}

/** @returns {LoadRequest[]} */
export function readsOf(/** @type {readonly { owner: string, id: string }[]} */ sample) {
  return sample.map(({ owner, id }) => ({
    method: 'GET',
    path: `/api/v1/customers/${id}`,
    token: owner,
  }));
}

/** @type {LoadRequest[]} */
const LIST_SMALL = [{ method: 'GET', path: '/api/v1/customers', token: 'small-0' }];
/** @type {LoadRequest[]} */
const LIST_LARGE = [{ method: 'GET', path: '/api/v1/customers', token: 'large-0' }];
/** @type {LoadRequest[]} */
const JSON_SERVER_LIST = [{ method: 'GET', path: '/api/v1/customers?_page=1&_limit=20' }];

export async function readOne(/** @type {Bench} */ bench) {
  return withTargets(async (use) => {
    const { folder, identity } = bench;
    const data = await makeDataSet(bench, 'read', [SMALL]);
    const requests = readsOf(sampleOf(data, 'small', SAMPLE));
    // A token for each request: identical checks at the same time would be one call.
    const asking = requests.map((request, n) => ({ ...request, token: `${request.token}~${n}` }));
    const fastify = bench.hasFastify ? await use(startPeer('fastify', folder, data)) : undefined;
    const jsonServer = await use(startPeer('json-server', folder, data));
    const identityOrigin = identity.origin;
    const second = copied(data, 'asking');
    const ours = await use(listening(startOurs({ file: data.file, identityOrigin })));
    const askingOurs = await use(
      listening(startOurs({ file: second.file, identityOrigin, cacheSeconds: 0 })),
    );
    const [first] = requests;
    if (first === undefined) throw new Error('the sample of the data set has no record to read');
    const answers = { GET: await answerOf(ours, first) };
    if (fastify) sameData(answers.GET, await answerOf(fastify, first));
    const measured = await inTurn(bench, 'read one', [
      { name: 'ours', target: ours, requests },
      ...(await otherBuild(bench, use, 'read', [SMALL], requests)),
      { name: 'Hono floor', target: await use(startFloor('hono', folder, answers)), requests },
      {
        name: 'node:http floor',
        target: await use(startFloor('node', folder, answers)),
        requests,
        isAside: true,
      },
      ...(fastify ? [{ name: 'Fastify peer', target: fastify, requests, isAside: true }] : []),
      { name: 'json-server', target: jsonServer, requests, isAside: true },
      {
        name: 'ours, asking the provider each time',
        target: askingOurs,
        requests: asking,
        isAside: true,
      },
    ]);
    return loadLines('read one', measured, { 'Hono floor': { kind: 'least', limit: 0.9 } });
  });
}

export async function listTwenty(/** @type {Bench} */ bench) {
  return withTargets(async (use) => {
    const { folder, identity } = bench;
    const data = await makeDataSet(bench, 'list', [SMALL, LARGE]);
    const small = await makeDataSet(bench, 'list-small', [SMALL]);
    const fastify = bench.hasFastify ? await use(startPeer('fastify', folder, data)) : undefined;
    const jsonServer = await use(startPeer('json-server', folder, small));
    const ours = await use(
      listening(startOurs({ file: data.file, identityOrigin: identity.origin })),
    );
    const floors = [];
    for (const requests of [LIST_SMALL, LIST_LARGE]) {
      const [request] = requests;
      if (request === undefined) throw new Error('the sample of the data set has no list to read');
      const answers = { GET: await answerOf(ours, request) };
      if (fastify) sameData(answers.GET, await answerOf(fastify, request));
      floors.push({
        name: 'floor of the same bytes',
        target: await use(startFloor('hono', folder, answers)),
        requests,
      });
    }
    const peers = (/** @type {LoadRequest[]} */ requests) =>
      fastify ? [{ name: 'Fastify peer', target: fastify, requests, isAside: true }] : [];
    // One process for both lists, as ours: each warms it up for the other.
    const others = await otherBuild(bench, use, 'list', [SMALL, LARGE], LIST_SMALL);
    // One turn for both: they are compared with each other, too.
    const measured = await inTurn(bench, 'list 20', [
      { name: 'ours', target: ours, requests: LIST_SMALL },
      ...others,
      ...floors.slice(0, 1),
      ...peers(LIST_SMALL),
      { name: 'json-server', target: jsonServer, requests: JSON_SERVER_LIST, isAside: true },
      { name: 'ours', target: ours, requests: LIST_LARGE },
      ...others.map((other) => ({ ...other, requests: LIST_LARGE })),
      ...floors.slice(1),
      ...peers(LIST_LARGE),
    ]);
    const largeAt = measured.findLastIndex(({ name }) => name === 'ours');
    /** @type {Record<string, import('../table.js').Goal>} */
    const goals = { 'floor of the same bytes': { kind: 'least', limit: 0.85 } };
    const toSmall = ratioOf(measured[largeAt], measured[0], 'perSecond');
    const largeLines = loadLines('list 20 of 100 000', measured.slice(largeAt), goals);
    const [ofSmall] = measured;
    return [
      ...loadLines('list 20 of 10 000', measured.slice(0, largeAt), goals),
      ...largeLines,
      {
        workload: 'list 20 of 100 000',
        who: 'ours of 10 000',
        result: `${count(medianOf(ofSmall, 'perSecond'))}/s`,
        ratio: toSmall,
        // Within 5 %, whichever is the faster.
        rated: Math.min(toSmall, 1 / toSmall),
        cpuRatio: ratioOf(ofSmall, measured[largeAt], 'cpu'),
        goal: { kind: 'least', limit: 0.95 },
      },
    ];
  });
}

/** The peer must do the same workload: its answer holds the same data. */
export function sameData(
  /** @type {{ body: string }} */ ours,
  /** @type {{ body: string }} */ theirs,
) {
  const [one, other] = [ours, theirs].map(({ body }) => {
    const { data, meta } = JSON.parse(body);
    return JSON.stringify([data, meta.pagination]);
  });
  if (one !== other) throw new Error(`the peer answers differently:\n${one}\n${other}`);
}
