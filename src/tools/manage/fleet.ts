// `manage fleet`: lists the processes of a fleet, as their database has them, with the shards that
// each holds.

import { isPostgresUrl } from '../../hosts/settings/fleet-settings.js';
import type { Environment } from '../../hosts/settings/setting-values.js';
import { type FleetState, FleetTable } from '../../storage/postgres/fleet-table.js';
import { PostgresPool, reasonOf } from '../../storage/postgres/postgres-pool.js';
import { shardOf } from '../../storage/postgres/shards.js';
import { CommandError } from '../data/failures.js';
import { text } from '../program/arguments.js';
import { commandOf } from '../program/command.js';
import { EXIT_DONE, EXIT_FAILED, UsageError } from '../program/ending.js';

export const FLEET = commandOf({
  name: 'manage fleet',
  usage: '[--account SUBJECT] [--settings FILE]',
  about: `Lists the processes of a fleet: address, release, shards that each holds, and
whether it gives signs of life. Takes a second and a half to see them. Ends with
0 where every shard is held by a process that lives, else with 1.`,
  options: { account: text('SUBJECT', "says, too, which process holds the account's shard") },
  settings: [['DATABASE_URL', "as the fleet's processes have it: postgres://…"]],
  async run({ values: { account } }, { environment, out }) {
    const pool = poolOf(environment);
    try {
      const table = new FleetTable(pool);
      const living = new Set((await table.living()).map(({ id }) => id));
      const state = await table.state();
      for (const line of linesOf(state, living)) out(`${line}\n`);
      if (account !== undefined) out(`${placeOf(account, state)}\n`);
      const isServed = state.holders.every((holder) => holder !== null && living.has(holder));
      return isServed ? EXIT_DONE : EXIT_FAILED;
    } catch (error) {
      throw new CommandError(`the fleet's database: ${reasonOf(error)}`, { cause: error });
    } finally {
      await pool.close();
    }
  },
});

function poolOf(environment: Environment): PostgresPool {
  const url = environment['DATABASE_URL'] ?? '';
  if (!isPostgresUrl(url)) {
    throw new UsageError(
      "DATABASE_URL names no Postgres database; it must be the one of the fleet's processes",
    );
  }
  return new PostgresPool({ url, max: 1, applicationName: 'service-management-api manage' });
}

function linesOf({ processes, holders }: FleetState, living: ReadonlySet<string>): string[] {
  const lines = processes.map(({ id, url, release, isLeaving }) => {
    const shards = holders.filter((holder) => holder === id).length;
    const life = living.has(id) ? (isLeaving ? 'leaving' : 'lives') : 'gives no sign of life';
    return `${url}  release ${release}  ${shards} shards  ${life}`;
  });
  const free = holders.filter((holder) => holder === null).length;
  return [
    ...lines,
    `${processes.length} processes, ${holders.length} shards, ${free} without a holder`,
  ];
}

function placeOf(account: string, { processes, holders }: FleetState): string {
  const shard = shardOf(account);
  const holder = processes.find(({ id }) => id === holders[shard]);
  return `${JSON.stringify(account)} is in shard ${shard}, held by ${holder?.url ?? 'no process'}`;
}
