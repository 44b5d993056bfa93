// The neighbour of those who attack: how long its reads and writes took meanwhile.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { percentile } from '../../../scripts/bench/statistics.js';
import { asAccount } from '../../support/identity-stub.js';

export const NEIGHBOUR = 'neighbour';

/** The neighbour's measurements. */
export interface Noted {
  readMs: number[];
  writeMs: number[];
  /** Answers that were missing, refused or wrong. */
  failures: string[];
  /** Ids of the customers that it created. */
  created: string[];
}

/** Resolves when the neighbour has its record and begins to read it. */
export async function startNeighbour(origin: string): Promise<{ end(): Promise<Noted> }> {
  const worker = new Worker(new URL('./neighbour-thread.js', import.meta.url), {
    workerData: { origin, headers: asAccount(NEIGHBOUR) },
  });
  await once(worker, 'message');
  return {
    async end() {
      worker.postMessage('end');
      const [noted] = await once(worker, 'message');
      await worker.terminate();
      return noted;
    },
  };
}

/** What the neighbour felt, in words. */
export function feltBy({ readMs, writeMs, failures }: Noted): string {
  if (readMs.length === 0 || writeMs.length === 0) return 'the neighbour got no answer';
  const kinds = failures.length > 0 ? ` (${[...new Set(failures)].join(', ')})` : '';
  const times = (of: readonly number[]) =>
    [50, 99, 100].map((share) => percentile(of, share).toFixed(1)).join(', ');
  return `${failures.length} failed${kinds}, reads ${times(readMs)} ms, writes ${times(writeMs)} ms (p50, p99, most)`;
}
