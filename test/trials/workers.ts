// The trial `workers`: the built Worker on the platform's own runtime. Refused requests
// on kept-alive connections, an account that fills the memory of its isolate, and what a
// large account costs.

import type { Finding, Trial, TrialOptions } from './trial.js';
import { accountCost } from './workers/account-cost.js';
import { refusedRequests } from './workers/refused-requests.js';
import { smallHeap } from './workers/small-heap.js';

const REQUESTS = 100_000;
const QUICK_REQUESTS = 5_000;

const RUNS: readonly (readonly [name: string, run: (of: TrialOptions) => Promise<Finding[]>])[] = [
  ['refused', (of) => refusedRequests({ ...of, requests: of.quick ? QUICK_REQUESTS : REQUESTS })],
  ['heap', smallHeap],
  ['account', accountCost],
];

export const workers: Trial = async (options) => {
  const findings: Finding[] = [];
  for (const [name, run] of RUNS) {
    if (name.includes(options.only ?? '')) findings.push(...(await run(options)));
  }
  return findings;
};
