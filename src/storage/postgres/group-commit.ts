// Commits of the shards that one process holds: those that wait for the same moment go to Postgres
// as one statement, so that they share its sync of the disk.

import type { Changes } from '../../core/records/record-storage.js';
import { type Answer, type Connection, isRefusal, type PostgresPool } from './postgres-pool.js';
import { COMMIT } from './shard-statements.js';
import { toStored } from './stored-text.js';

/** While these are under way, the next ones gather. */
const UNDER_WAY_MAX = 2;
const SHARDS_MAX = 64;
/** A part that is longer goes alone. */
const CHARACTERS_MAX = 1_000_000;

/** The changes of one shard. */
export interface ShardCommit {
  readonly shard: number;
  readonly epoch: number;
  /** Of the commit. */
  readonly number: number;
  readonly changes: Changes;
  /** By `performance.now()`: without an answer until then it counts as lost. */
  readonly givenUpAt: number;
}

/** `unconfirmed`: it is stored here, and a synchronous standby may not have it. */
export type Tried = 'stored' | 'overtaken' | 'unconfirmed';

interface Waiting {
  readonly commit: ShardCommit;
  readonly resolve: (tried: Tried) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit {
  readonly pool: PostgresPool;
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(pool: PostgresPool) {
    this.pool = pool;
  }

  /**
   * Rejects where Postgres refuses this commit: nothing of it is stored then, and that of the
   * others is; or where its connection was lost: nobody knows.
   */
  commit(commit: ShardCommit): Promise<Tried> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#underWay < UNDER_WAY_MAX) {
      const group = this.#waiting.splice(0, firstTogether(this.#waiting));
      this.#underWay++;
      void this.#send(group).finally(() => {
        this.#underWay--;
        this.#next();
      });
    }
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    const commits = group.map(({ commit }) => commit);
    try {
      const tried = await this.pool.use((connection) => tryCommits(connection, commits));
      for (const [place, { resolve }] of group.entries()) resolve(tried[place] ?? 'overtaken');
    } catch (error) {
      // One of them is why: alone, each has its own outcome.
      if (isRefusal(error) && group.length > 1) {
        for (const one of group) await this.#send([one]);
        return;
      }
      for (const { reject } of group) reject(error);
    }
  }
}

/** How many of the first ones go together. */
function firstTogether(waiting: readonly Waiting[]): number {
  let characters = 0;
  for (const [place, { commit }] of waiting.entries()) {
    for (const { body } of commit.changes.puts) characters += body.length;
    if (place > 0 && (place === SHARDS_MAX || characters > CHARACTERS_MAX)) return place;
  }
  return waiting.length;
}

/** In one statement, of different shards; the outcome of each in its order. */
export async function tryCommits(
  connection: Connection,
  commits: readonly ShardCommit[],
): Promise<Tried[]> {
  const left = Math.min(...commits.map(({ givenUpAt }) => givenUpAt)) - performance.now();
  const answerMaxMs = Math.max(1, Math.ceil(left));
  const { rows, warnings } = await connection.run<{ shard: number }>(
    COMMIT,
    commitValues(commits),
    answerMaxMs,
  );
  const stored = new Set(rows.map(({ shard }) => shard));
  return commits.map(({ shard }) => triedBy(stored.has(shard), { warnings }));
}

export function triedBy(isStored: boolean, { warnings }: Pick<Answer<object>, 'warnings'>): Tried {
  if (!isStored) return 'overtaken';
  return warnings.length > 0 ? 'unconfirmed' : 'stored';
}

/** The values of the statement `COMMIT`. */
export function commitValues(commits: readonly Omit<ShardCommit, 'givenUpAt'>[]): unknown[] {
  const puts = commits.flatMap(({ shard, changes }) =>
    changes.puts.map((put) => ({ shard, ...put })),
  );
  const removals = commits.flatMap(({ shard, changes }) =>
    changes.removals.map((position) => ({ shard, position })),
  );
  const sequences = commits.flatMap(({ shard, changes }) =>
    Object.entries(changes.sequences).map(([collection, highest]) => ({
      shard,
      collection,
      highest,
    })),
  );
  const events = commits.flatMap(({ shard, changes }) =>
    changes.events.map((event) => ({ shard, event })),
  );
  return [
    commits.map(({ shard }) => shard),
    commits.map(({ epoch }) => epoch),
    commits.map(({ number }) => number),
    commits.map(({ changes }) => changes.at),
    puts.map(({ shard }) => shard),
    puts.map(({ position }) => position),
    puts.map(({ collection }) => collection),
    puts.map(({ id }) => toStored(id)),
    puts.map(({ owner }) => (owner === undefined ? null : toStored(owner))),
    puts.map(({ body }) => body),
    puts.map(({ body }) => Buffer.byteLength(body)),
    removals.map(({ shard }) => shard),
    removals.map(({ position }) => position),
    sequences.map(({ shard }) => shard),
    sequences.map(({ collection }) => collection),
    sequences.map(({ highest }) => highest),
    events.map(({ shard }) => shard),
    events.map(({ event }) => JSON.stringify(event)),
  ];
}
