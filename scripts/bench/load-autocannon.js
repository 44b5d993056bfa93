// Load by `autocannon`, in a process of its own: reads its job from a file,
// prints what it measured as one line of JSON.

import { readFileSync } from 'node:fs';
import { peerPackage } from './peer-packages.js';

const { origin, requests, connections, seconds } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
);
const prepared = requests.map((/** @type {import('./load.js').LoadRequest} */ request) => ({
  method: request.method,
  path: request.path,
  headers: {
    ...(request.token !== undefined && { authorization: `Bearer ${request.token}` }),
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
  },
  ...(request.body !== undefined && { body: request.body }),
}));

/** Every connection begins somewhere else in the list, or all would send the same at the same time. */
function startElsewhere(
  /** @type {{ setRequests: (requests: readonly unknown[]) => void }} */ client,
) {
  const first = Math.floor((clients++ * prepared.length) / connections) % prepared.length;
  client.setRequests([...prepared.slice(first), ...prepared.slice(0, first)]);
}

let clients = 0;
const result = await peerPackage('autocannon')({
  url: origin,
  connections,
  duration: seconds,
  timeout: 30,
  requests: prepared,
  setupClient: startElsewhere,
});
process.stdout.write(
  JSON.stringify({
    requests: result['2xx'],
    failures: result.non2xx + result.errors + result.timeouts,
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    p999: result.latency.p99_9,
  }),
);
