// The trial `soak`: a long time under mixed load. Memory, descriptors and the time of a
// read must stay the same.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOf } from '../../scripts/bench/processes.js';
import { median, percentile } from '../../scripts/bench/statistics.js';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { Ledger } from './load/ledger.js';
import { newSeed, randomFrom } from './load/random.js';
import { startLoad } from './load/workload.js';
import { clientOf } from './service/requests.js';
import { startService } from './service/service-process.js';
import { readRows } from './service/stored.js';
import type { Finding, Trial } from './trial.js';

const MINUTES = 30;
const QUICK_MINUTES = 2;
/** The run is measured in this many pieces; the first quarter is the warm-up. */
const PIECES = 40;
const WARM_UP_PIECES = PIECES / 4;
const SAMPLES_A_PIECE = 10;
/** Growth of the memory after the warm-up, as a share of its median. */
const GROWTH_MAX_SHARE = 0.1;
/** One connection to the identity provider, and one that is being replaced. */
const DESCRIPTORS_MAX_MORE = 2;
const P99_MAX_MORE_MS = 2;

interface Piece {
  /** The lowest resident memory, with the least garbage in it. */
  readonly megabytes: number;
  /** The most open descriptors. */
  readonly descriptors: number;
  /** 99th percentile of the reads. */
  readonly p99Ms: number;
}

export const soak: Trial = async ({ folder, say, quick }) => {
  const minutes = quick ? QUICK_MINUTES : MINUTES;
  const identity = await startIdentityProvider();
  const file = join(folder, 'service.db');
  const server = await startService({ file, identityOrigin: identity.origin });
  const client = clientOf(server.origin);
  const ledger = new Ledger();
  let reads: number[] = [];
  const onRead = (milliseconds: number) => void reads.push(milliseconds);
  const load = startLoad({ client, ledger, random: randomFrom(newSeed()), workers: 8, onRead });
  const pieces: Piece[] = [];
  try {
    for (let number = 1; number <= PIECES; number++) {
      let [megabytes, descriptors] = [Number.POSITIVE_INFINITY, 0];
      for (let sample = 0; sample < SAMPLES_A_PIECE; sample++) {
        await delay((minutes * 60_000) / PIECES / SAMPLES_A_PIECE);
        megabytes = Math.min(megabytes, memoryOf(server.pid).resident / 1e6);
        descriptors = Math.max(descriptors, readdirSync(`/proc/${server.pid}/fd`).length);
      }
      const piece = { megabytes, descriptors, p99Ms: percentile(reads, 99) };
      pieces.push(piece);
      reads = [];
      ledger.forgetHistory();
      const text = `${megabytes.toFixed(0)} MB, ${descriptors} descriptors, p99 ${piece.p99Ms.toFixed(1)} ms`;
      if (number % 4 === 0) say(`${number} of ${PIECES}: ${text}`);
    }
    await load.stop();
    const rows = await readRows(client);
    const { lost, back, torn, duplicate } = ledger.compare(rows, []);
    const { acknowledged, unknown } = ledger.outcomes;
    const tried = `${minutes} min, ${acknowledged} changes, ${rows.length} records at the end`;
    return [
      ...findingsOf(pieces.slice(WARM_UP_PIECES), tried),
      {
        fault: 'long mixed load: the records',
        tried,
        found: `${lost} lost, ${back} back, ${torn} torn, ${duplicate} duplicates, ${unknown} changes unanswered`,
        holds: lost + back + torn + duplicate + unknown === 0,
      },
    ];
  } finally {
    await load.stop().catch(() => {});
    client.close();
    await server.end('SIGTERM');
    await identity.process.stop();
  }
};

function findingsOf(pieces: readonly Piece[], tried: string): Finding[] {
  const memory = pieces.map(({ megabytes }) => megabytes);
  const growth = slopeOf(memory) * (memory.length - 1);
  const third = Math.floor(pieces.length / 3);
  const [first, last] = [pieces.slice(0, third), pieces.slice(-third)];
  const p99 = (some: readonly Piece[]) => median(some.map(({ p99Ms }) => p99Ms));
  const most = (some: readonly Piece[]) => Math.max(...some.map(({ descriptors }) => descriptors));
  const finding = (what: string, found: string, holds: boolean): Finding => {
    return { fault: `long mixed load: ${what}`, tried, found, holds };
  };
  return [
    finding(
      'memory',
      `${median(memory).toFixed(0)} MB, ${growth.toFixed(1)} MB more after the warm-up`,
      Math.abs(growth) < GROWTH_MAX_SHARE * median(memory),
    ),
    finding(
      'descriptors',
      `at most ${most(first)} in the first third, ${most(last)} in the last`,
      most(last) <= most(first) + DESCRIPTORS_MAX_MORE,
    ),
    finding(
      'reads',
      `p99 ${p99(first).toFixed(1)} ms in the first third, ${p99(last).toFixed(1)} ms in the last`,
      p99(last) < p99(first) + P99_MAX_MORE_MS,
    ),
  ];
}

/** The slope per step of the line that fits the values best (least squares). */
function slopeOf(values: readonly number[]) {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  for (const [index, value] of values.entries()) {
    above += (index - middle) * (value - mean);
    below += (index - middle) ** 2;
  }
  return above / below;
}
