// The trial `data`: a messy file is imported while the importer and the service are killed.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { killedImport } from './data/killed-import.js';
import type { Finding, Trial } from './trial.js';

const AMOUNTS = { rows: 10_000, kills: 10 };
const QUICK_AMOUNTS = { rows: 1_500, kills: 2 };

export const data: Trial = async ({ quick, folder, say }) => {
  const findings: Finding[] = [];
  for (const host of ['one process', 'Workers'] as const) {
    say(`an import into ${host}`);
    const own = join(folder, host);
    mkdirSync(own);
    const amounts = quick ? QUICK_AMOUNTS : AMOUNTS;
    findings.push(await killedImport({ folder: own, host, ...amounts, say }));
  }
  return findings;
};
