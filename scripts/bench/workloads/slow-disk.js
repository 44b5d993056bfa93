// Reads while every sync takes 10 ms longer: beside reads of the same server,
// under the same tracer, while nobody writes.

import { makeDataSet, sampleOf } from '../data-set.js';
import { medianRatio } from '../statistics.js';
import { listening, startOurs } from '../targets.js';
import { readsOf, withTargets } from './reads.js';
import { othersLine } from './search.js';
import { createOf } from './writes.js';

/** @import { Bench } from '../bench-context.js' */
/** @import { Line } from '../table.js' */

const WORKLOAD = 'reads, 10 ms a sync';
const SYNC_DELAY_MS = 10;
const ACCOUNT = { prefix: 'reader', owners: 1, records: 10_000 };
const SAMPLE = 1_000;
/** Each waits for its sync before it writes again: about as many writes in 10 ms. */
const WRITERS = 8;

export async function slowDisk(/** @type {Bench} */ bench) {
  const { load, rounds, seconds, connections, identity, say, hasTracer } = bench;
  if (!hasTracer) {
    /** @type {Line[]} */
    const missing = [
      { workload: WORKLOAD, who: 'not measured', result: 'needs strace, which may trace' },
    ];
    return missing;
  }
  return withTargets(async (use) => {
    const data = await makeDataSet(bench, 'slow-disk', [ACCOUNT]);
    const options = { file: data.file, identityOrigin: identity.origin };
    const ours = await use(listening(startOurs({ ...options, syncDelayMs: SYNC_DELAY_MS })));
    const requests = readsOf(sampleOf(data, 'reader', SAMPLE));
    const reads = { origin: ours.origin, requests, connections, seconds };
    const quiet = [];
    const busy = [];
    const writes = [];
    await load({ ...reads, seconds: bench.warmUpSeconds });
    for (let round = 0; round < rounds; round++) {
      say(`${WORKLOAD}: round ${round + 1} of ${rounds}`);
      quiet.push(await load(reads));
      const creates = { origin: ours.origin, requests: [createOf('reader-0')] };
      const [read, written] = await Promise.all([
        load(reads),
        load({ ...creates, connections: WRITERS, seconds: seconds + 1 }),
      ]);
      busy.push(read);
      writes.push(written);
    }
    const p99s = (/** @type {{ p99: number }[]} */ loads) => loads.map(({ p99 }) => p99);
    /** @type {Line[]} */
    const lines = [
      othersLine(WORKLOAD, `ours, ${WRITERS} connections write`, busy),
      {
        ...othersLine(WORKLOAD, 'ours, nobody writes', quiet),
        ratio: medianRatio(p99s(busy), p99s(quiet)),
        goal: { kind: 'most', limit: 2 },
      },
      othersLine(WORKLOAD, 'the writes meanwhile', writes),
    ];
    return lines;
  });
}
