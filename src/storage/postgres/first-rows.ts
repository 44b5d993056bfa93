// What a new database of a fleet begins with: the sample rows, and in each shard the highest
// numbers of their ids, so that no shard gives one of them out again.

import { sequenceOf } from '../../core/domain/identifier.js';
import type { PutRow, Sequences } from '../../core/records/record-storage.js';
import { commitValues } from './group-commit.js';
import type { Connection } from './postgres-pool.js';
import { COMMIT } from './shard-statements.js';
import { shardOf } from './shards.js';

/** A process's id is never this. */
const FIRST_HOLDER = 'first rows';

/** `rows`: of one account. Within the transaction that made the tables; `at` in milliseconds since 1970, UTC. */
export async function putFirstRows(
  connection: Connection,
  rows: readonly PutRow[],
  at: number,
): Promise<void> {
  const owner = rows[0]?.owner;
  if (owner === undefined) return;
  const shard = shardOf(owner);
  const sequences: Record<string, number> = {};
  for (const { collection, id } of rows) {
    sequences[collection] = Math.max(sequences[collection] ?? 0, sequenceOf(collection, id));
  }
  await connection.run('update shards set holder = $2 where shard = $1', [shard, FIRST_HOLDER]);
  const changes = { puts: rows, removals: [], sequences: {}, events: [], at };
  await connection.run(COMMIT, commitValues([{ shard, epoch: 0, number: 0, changes }]));
  await connection.run('update shards set holder = null where shard = $1', [shard]);
  await startSequences(connection, sequences);
}

/** Ids of every shard go on after these numbers. */
export async function startSequences(connection: Connection, highest: Sequences): Promise<void> {
  await connection.run(START_SEQUENCES, [Object.keys(highest), Object.values(highest)]);
}

const START_SEQUENCES = `
  insert into sequences (shard, collection, highest)
  select shards.shard, s.* from shards, unnest($1::text[], $2::bigint[]) as s
  on conflict (shard, collection) do update
    set highest = greatest(sequences.highest, excluded.highest)`;
