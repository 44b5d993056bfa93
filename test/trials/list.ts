// The trials.

import type { Trial } from './trial.js';

/**
 * Every trial by its NAME in `npm run trust -- NAME`, loaded only when it runs; test/README.md has
 * a row for each: the promise, the fault, and the finding.
 */
export const TRIALS: Readonly<Record<string, () => Promise<Trial>>> = {
  power: async () => (await import('./power.js')).power,
  faults: async () => (await import('./faults.js')).faults,
  agreement: async () => (await import('./agreement.js')).agreement,
  model: async () => (await import('./model/run.js')).model,
  histories: async () => (await import('./histories/histories.js')).histories,
  hostile: async () => (await import('./hostile/run.js')).hostile,
  processes: async () => (await import('./processes.js')).processes,
};
