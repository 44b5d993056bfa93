// The list of trials. The name is the word that `npm run trust -- NAME` takes;
// test/README.md has the same list with the faults and the durations.

import type { Trial } from './trial.js';

/** Each is loaded only when it runs. */
export const TRIALS: readonly { name: string; load: () => Promise<Trial> }[] = [
  { name: 'power', load: async () => (await import('./power.js')).power },
  { name: 'faults', load: async () => (await import('./faults.js')).faults },
  { name: 'model', load: async () => (await import('./model.js')).model },
  { name: 'histories', load: async () => (await import('./histories/histories.js')).histories },
  { name: 'backup', load: async () => (await import('./backup.js')).backup },
  { name: 'data', load: async () => (await import('./data.js')).data },
  { name: 'move', load: async () => (await import('./move.js')).move },
  { name: 'neighbours', load: async () => (await import('./neighbours.js')).neighbours },
  { name: 'hostile', load: async () => (await import('./hostile.js')).hostile },
  { name: 'replication', load: async () => (await import('./replication.js')).replication },
  { name: 'wal-reset', load: async () => (await import('./wal-reset.js')).walReset },
  { name: 'workers', load: async () => (await import('./workers.js')).workers },
  { name: 'year', load: async () => (await import('./year.js')).year },
  { name: 'soak', load: async () => (await import('./soak.js')).soak },
];
