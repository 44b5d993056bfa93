// A client that is not part of the fault: its requests must go on as before.

import { percentile } from '../../../scripts/bench/statistics.js';
import { asAccount } from '../service/identity-provider.js';

const PATHS = ['/api/v1/customers', '/api/v1/health'];

const ANSWER_MAX_MS = 15_000;

export interface Watched {
  readonly origin: string;
  /** In bytes. */
  memory(): { readonly resident: number };
}

/** Sends one request after another and watches the server's memory. */
export function watchOthers(service: Watched, paths = PATHS) {
  let [requests, failures, peakBytes] = [0, 0, 0];
  const times: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const start = performance.now();
      const headers = asAccount('other');
      const path = paths[requests % paths.length];
      const signal = AbortSignal.timeout(ANSWER_MAX_MS);
      const response = await fetch(service.origin + path, { headers, signal }).catch(
        () => undefined,
      );
      await response?.arrayBuffer().catch(() => failures++);
      requests++;
      if (response?.status !== 200) failures++;
      times.push(performance.now() - start);
      peakBytes = Math.max(peakBytes, service.memory().resident);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      const [p99Ms, slowestMs] = [percentile(times, 99), Math.max(...times)];
      return { requests, failures, p99Ms, slowestMs, peakBytes };
    },
  };
}
