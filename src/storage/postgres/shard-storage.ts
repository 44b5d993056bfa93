// The storage of one shard: its rows in Postgres, and the fence that lets one process commit.

import type {
  Changes,
  CommitResult,
  RecordStorage,
  Sequences,
  StoredRow,
} from '../../core/records/record-storage.js';
import {
  type GroupCommit,
  type ShardCommit,
  type Tried,
  triedBy,
  tryCommits,
} from './group-commit.js';
import { ANSWER_MAX_MS, isRefusal } from './postgres-pool.js';
import { LOAD, LOAD_SEQUENCES, RELEASE, SETTLE, TAKE, TAKE_BY_FORCE } from './shard-statements.js';
import { fromStored } from './stored-text.js';

/** A body as a value of Postgres: far below its limit of 1 GB for a row and a statement. */
export const POSTGRES_BODY_MAX_BYTES = 64 * 1_048_576;
const PAGE_ROWS = 4_096;
/** For so long a commit waits for a database that is away, in all; a restart or a fail-over takes less. */
const SETTLE_MAX_MS = ANSWER_MAX_MS;
const SETTLE_AGAIN_MS = 200;

export interface ShardOptions {
  /** Of the process: its connections, and the commits of its other shards. */
  readonly group: GroupCommit;
  readonly shard: number;
  /** Id of the process. */
  readonly holder: string;
  /** Takes the shard also from who has it: without a fleet, for an opening that fences the one before. */
  readonly byForce?: boolean;
}

export interface ShardStorage extends RecordStorage {
  /** Gives the shard back, so that another process may take it at once. */
  release(): Promise<void>;
}

/** Takes the shard; undefined where another process has it. */
export async function openShard(options: ShardOptions): Promise<ShardStorage | undefined> {
  const { group, shard, holder, byForce = false } = options;
  const statement = byForce ? TAKE_BY_FORCE : TAKE;
  const { rows } = await group.pool.run<Counted & { epoch: string }>(statement, [shard, holder]);
  const [taken] = rows;
  if (taken === undefined) return undefined;
  return new OpenShard(options, Number(taken.epoch), Number(taken.commits));
}

interface Counted {
  /** Postgres' bigint. */
  readonly commits: string;
}

class OpenShard implements ShardStorage {
  readonly bodyMaxBytes = POSTGRES_BODY_MAX_BYTES;
  readonly #options: ShardOptions;
  readonly #epoch: number;
  /** The number of the last commit. */
  #commits: number;
  #isClosed = false;
  #committing: Promise<unknown> | undefined;

  constructor(options: ShardOptions, epoch: number, commits: number) {
    this.#options = options;
    this.#epoch = epoch;
    this.#commits = commits;
  }

  async *load(): AsyncGenerator<readonly StoredRow[]> {
    const { group, shard } = this.#options;
    let last = 0;
    for (;;) {
      const { rows } = await group.pool.run<LoadedRow>(LOAD, [shard, last, PAGE_ROWS]);
      if (rows.length === 0) return;
      yield rows.map(storedRow);
      last = Number(rows.at(-1)?.position);
      if (rows.length < PAGE_ROWS) return;
    }
  }

  async sequences(): Promise<Sequences> {
    const { group, shard } = this.#options;
    type Row = { collection: keyof Sequences; highest: string };
    const { rows } = await group.pool.run<Row>(LOAD_SEQUENCES, [shard]);
    return Object.fromEntries(
      rows.map(({ collection, highest }) => [collection, Number(highest)]),
    ) as Sequences;
  }

  async commit(changes: Changes): Promise<CommitResult> {
    if (this.#isClosed) return { status: 'unknown', error: new Error('the shard is closed') };
    const committing = this.#withAndWithoutEvents(changes);
    this.#committing = committing;
    return committing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#committing;
  }

  async release(): Promise<void> {
    await this.close();
    const { group, shard, holder } = this.#options;
    await group.pool.run(RELEASE, [shard, holder, this.#epoch]);
  }

  async #withAndWithoutEvents(changes: Changes): Promise<CommitResult> {
    const result = await this.#committed(changes);
    if (result.status !== 'notStored' || changes.events.length === 0) return result;
    // The events may be why: "if the audit write fails, the change stands".
    const without = await this.#committed({ ...changes, events: [] });
    return without.status === 'committed' ? { ...without, auditError: result.error } : result;
  }

  /** Tries until the outcome is certain, or until the database has been away for too long. */
  async #committed(changes: Changes): Promise<CommitResult> {
    const { shard, group } = this.#options;
    const number = this.#commits + 1;
    const givenUpAt = performance.now() + SETTLE_MAX_MS;
    const commit = { shard, epoch: this.#epoch, number, changes, givenUpAt };
    let error: unknown;
    /** Whether an earlier try may have stored it. */
    let isOpen = false;
    while (performance.now() < givenUpAt) {
      try {
        const outcome = isOpen ? await this.#settled(commit) : await group.commit(commit);
        if (outcome === 'overtaken') return overtaken();
        if (outcome === 'stored') {
          this.#commits = number;
          return { status: 'committed' };
        }
        isOpen = true;
        error = new Error('the wait for the synchronous standby was cut off');
      } catch (thrown) {
        if (isRefusal(thrown)) return { status: 'notStored', error: thrown };
        isOpen = true;
        error = thrown;
      }
      await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS));
    }
    return { status: 'unknown', error };
  }

  /** Whether an earlier try has stored it; where it has not, it is stored now. */
  #settled(commit: ShardCommit): Promise<Tried> {
    const { shard, epoch, number } = commit;
    return this.#options.group.pool.use(async (connection) => {
      const answer = await connection.run<Counted>(SETTLE, [shard, epoch]);
      const [row] = answer.rows;
      if (row === undefined || Number(row.commits) === number) {
        return triedBy(row !== undefined, answer);
      }
      const [tried = 'overtaken'] = await tryCommits(connection, [commit]);
      return tried;
    });
  }
}

function overtaken(): CommitResult {
  return {
    status: 'unknown',
    error: new Error('another process holds the shard; nothing is stored'),
  };
}

interface LoadedRow extends Omit<StoredRow, 'position'> {
  readonly position: string;
}

function storedRow({ position, collection, id, body }: LoadedRow): StoredRow {
  return { position: Number(position), collection, id: fromStored(id), body };
}
