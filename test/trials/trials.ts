// The list of trials. The name is the word that `npm run trust -- NAME` takes; test/README.md has
// a row for each: the promise, the fault, and what was found.

import type { Trial } from './trial.js';

/** Each is loaded only when it runs. */
export const TRIALS: Readonly<Record<string, () => Promise<Trial>>> = {
  power: async () => (await import('./power.js')).power,
  faults: async () => (await import('./faults.js')).faults,
  model: async () => (await import('./model.js')).model,
  histories: async () => (await import('./histories/histories.js')).histories,
  data: async () => (await import('./data.js')).data,
  hostile: async () => (await import('./hostile.js')).hostile,
  replication: async () => (await import('./replication.js')).replication,
  processes: async () => (await import('./processes.js')).processes,
  soak: async () => (await import('./soak.js')).soak,
};
