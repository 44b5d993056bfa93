// A client that is not part of the fault: its requests must go on as before.

import { asAccount } from '../service/identity-provider.js';
import type { Service } from '../service/probed-service.js';

const PATHS = ['/api/v1/customers', '/api/v1/health'];

/** Sends one request after another and watches the server's memory. */
export function watchOthers(service: Service) {
  let [requests, failures, slowestMs, peakBytes] = [0, 0, 0, 0];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const start = performance.now();
      const headers = asAccount('other');
      const path = PATHS[requests % PATHS.length];
      const response = await fetch(service.origin + path, { headers }).catch(() => undefined);
      await response?.arrayBuffer();
      requests++;
      if (response?.status !== 200) failures++;
      slowestMs = Math.max(slowestMs, performance.now() - start);
      peakBytes = Math.max(peakBytes, service.memory().resident);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return { requests, failures, slowestMs, peakBytes };
    },
  };
}
