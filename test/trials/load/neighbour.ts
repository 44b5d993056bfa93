// The neighbour of those who attack: how long its reads and writes took meanwhile.

import { Worker } from 'node:worker_threads';
import { percentile } from '../../../scripts/bench/statistics.js';
import { asAccount } from '../../support/identity-stub.js';

export const NEIGHBOUR = 'neighbour';

/** The neighbour's measurements. */
export interface Noted {
  readMs: number[];
  /** When each of these reads was sent, in milliseconds since 1970. */
  readAt: number[];
  writeMs: number[];
  /** Answers that were missing, refused or wrong. */
  failures: string[];
  /** Ids of the customers that it created. */
  created: string[];
  /** How many customers its account has in the end. */
  stored: number;
}

/** Resolves when the neighbour has its record and begins to read it. */
export async function startNeighbour(origin: string): Promise<{ end(): Promise<Noted> }> {
  const worker = new Worker(new URL('./neighbour-thread.js', import.meta.url), {
    workerData: { origin, headers: asAccount(NEIGHBOUR) },
  });
  const message = () =>
    new Promise<unknown>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  await message();
  return {
    async end() {
      const noted = message();
      worker.postMessage('end');
      const result = (await noted) as Noted;
      await worker.terminate();
      return result;
    },
  };
}

/** What the neighbour felt, in words. */
export function feltBy({ readMs, writeMs, failures }: Noted): string {
  const kinds = failures.length > 0 ? ` (${[...new Set(failures)].join(', ')})` : '';
  const most = (times: readonly number[]) => Math.max(0, ...times).toFixed(0);
  const at = (times: readonly number[], share: number) => percentile(times, share).toFixed(1);
  return (
    `${failures.length} failed${kinds}, ` +
    `reads ${at(readMs, 50)} ms (p50), ${at(readMs, 99)} ms (p99), ${most(readMs)} ms at most, ` +
    `writes ${writeMs.length > 0 ? at(writeMs, 99) : '-'} ms (p99), ${most(writeMs)} ms at most`
  );
}
