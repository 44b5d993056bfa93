// The move to Workers and back, killed ten times; how quick it is, and how quick to Postgres.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { killedMove } from './move/killed-move.js';
import { postgresRates, workersRates } from './move/move-rates.js';
import type { Trial } from './trial.js';

const SHOP = { accounts: 20, records: 100_000, events: 5_000 };
const QUICK_SHOP = { accounts: 8, records: 12_000, events: 600 };
const KILLS = 10;
const QUICK_KILLS = 4;

export const move: Trial = async ({ quick, folder, say }) => {
  const own = (name: string) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const shop = quick ? QUICK_SHOP : SHOP;
  const kills = quick ? QUICK_KILLS : KILLS;
  const killed = await killedMove({ folder: own('killed'), shop, kills, say });
  say('rates');
  const toWorkers = await workersRates({ folder: own('rates'), shop });
  const toPostgres = await postgresRates({ folder: own('postgres'), shop });
  return [killed, toWorkers, toPostgres];
};
