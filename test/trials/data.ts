// Data in and out: a messy file under kills, a large export, and what an import
// costs others.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { importRates } from './data/import-rates.js';
import { killedImport } from './data/killed-import.js';
import { largeExport } from './data/large-export.js';
import type { Finding, Trial } from './trial.js';

const ROWS = 10_000;
const QUICK_ROWS = 1_500;
const KILLS = 10;
const QUICK_KILLS = 2;
const RECORDS = 200_000;
const QUICK_RECORDS = 20_000;
const RATE_ROWS = 3_000;
const QUICK_RATE_ROWS = 300;

export const data: Trial = async ({ quick, folder, say }) => {
  const own = (name: string) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const killed: Finding[] = [];
  for (const host of ['one process', 'Workers'] as const) {
    const amounts = {
      rows: quick ? QUICK_ROWS : ROWS,
      kills: quick ? QUICK_KILLS : KILLS,
    };
    say(`an import into ${host}`);
    killed.push(await killedImport({ folder: own(`killed in ${host}`), host, ...amounts, say }));
  }
  say('an export of a large account');
  const large = await largeExport({
    folder: own('large'),
    records: quick ? QUICK_RECORDS : RECORDS,
  });
  say('rates');
  const rates = await importRates({
    folder: own('rates'),
    rows: quick ? QUICK_RATE_ROWS : RATE_ROWS,
  });
  return [...killed, large, rates];
};
