// How long a move takes when nothing goes wrong, in a fresh place.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.js';
import { moveWorkersToKill, startMove } from '../../support/move-command.js';
import { openPostgres } from '../../support/postgres.js';
import type { ProgramRun } from '../../support/program.js';
import { makeShopFile } from '../../support/shop-file.js';
import type { Finding } from '../trial.js';
import { type ShopSize, subjectsOf } from './killed-move.js';

interface Rates {
  readonly folder: string;
  readonly shop: ShopSize;
}

export async function workersRates({ folder, shop }: Rates): Promise<Finding> {
  const ports = [await freePort(), await freePort()] as const;
  const { maintenance, start } = await moveWorkersToKill(folder, ports);
  const workers = await start();
  try {
    return await ratesTo('Workers', maintenance, { folder, shop });
  } finally {
    await workers.kill();
  }
}

export async function postgresRates(rates: Rates): Promise<Finding> {
  const postgres = await openPostgres();
  try {
    return await ratesTo('Postgres', await postgres.make('moved'), rates);
  } finally {
    await postgres.close();
  }
}

async function ratesTo(place: string, url: string, { folder, shop }: Rates): Promise<Finding> {
  const file = join(folder, 'shop.db');
  await makeShopFile(file, { ...shop, accounts: subjectsOf(shop.accounts) });
  const there = await timed(['--from', file, '--to', url]);
  const again = await timed(['--from', file, '--to', url]);
  const back = await timed(['--from', url, '--to', join(folder, 'back.db')]);
  const rate = ({ seconds }: Timed) => `${Math.round(shop.records / seconds)} records a second`;
  const { size } = await stat(file);
  return {
    fault: `none: how long a move to ${place} takes on this machine`,
    tried: `${shop.accounts} accounts, ${shop.records} records in ${(size / 1_000_000).toFixed(0)} MB, ${shop.events} audit events`,
    found: `there in ${there.seconds.toFixed(1)} s (${rate(there)}), again in ${again.seconds.toFixed(1)} s, back in ${back.seconds.toFixed(1)} s (${rate(back)})`,
    holds: [there, again, back].every(({ code }) => code === 0),
  };
}

interface Timed extends ProgramRun {
  readonly seconds: number;
}

async function timed(args: readonly string[]): Promise<Timed> {
  const begun = performance.now();
  const run = await startMove(args).ended;
  return { ...run, seconds: (performance.now() - begun) / 1_000 };
}
