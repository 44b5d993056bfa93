// The list of trials. The name is the word that `npm run trust -- NAME` takes; test/README.md has
// a row for each: the promise, the fault, and what was found.

import type { Trial } from './trial.js';

/** Each is loaded only when it runs. */
export const TRIALS: readonly { name: string; load: () => Promise<Trial> }[] = [
  { name: 'power', load: async () => (await import('./power.js')).power },
  { name: 'faults', load: async () => (await import('./faults.js')).faults },
  { name: 'model', load: async () => (await import('./model.js')).model },
  { name: 'histories', load: async () => (await import('./histories/histories.js')).histories },
  { name: 'backup', load: async () => (await import('./backup.js')).backup },
  { name: 'data', load: async () => (await import('./data.js')).data },
  { name: 'hostile', load: async () => (await import('./hostile.js')).hostile },
  { name: 'replication', load: async () => (await import('./replication.js')).replication },
  { name: 'workers', load: async () => (await import('./workers/small-heap.js')).smallHeap },
  { name: 'processes', load: async () => (await import('./processes.js')).processes },
  { name: 'soak', load: async () => (await import('./soak.js')).soak },
];
