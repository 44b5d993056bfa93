// The trial `workers`: the built Worker on the platform's own runtime. Refused requests
// on kept-alive connections, and an account that fills the memory of its isolate.

import type { Trial } from './trial.js';
import { refusedRequests } from './workers/refused-requests.js';
import { smallHeap } from './workers/small-heap.js';

const REQUESTS = 100_000;
const QUICK_REQUESTS = 5_000;

export const workers: Trial = async ({ quick, only = '', folder, say }) => [
  ...('refused'.includes(only)
    ? await refusedRequests({ requests: quick ? QUICK_REQUESTS : REQUESTS, folder, say })
    : []),
  ...('heap'.includes(only) ? await smallHeap({ folder, say }) : []),
];
