// The trial `data`: a messy file is imported while the importer and the service are killed.

import { killedImport } from './data/killed-import.js';
import type { Trial } from './trial.js';

export const data: Trial = async ({ quick, folder, say }) => [
  await killedImport({
    folder,
    say,
    ...(quick ? { rows: 1_500, kills: 2 } : { rows: 10_000, kills: 10 }),
  }),
];
