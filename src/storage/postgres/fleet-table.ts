// The processes of a fleet and who holds which shard, as the database has them. Its rows are the
// one truth: a process is of the fleet while its row is there.

import type { PostgresPool } from './postgres-pool.js';

export interface FleetProcess {
  readonly id: string;
  /** Where the other processes reach it. */
  readonly url: string;
  readonly release: string;
  /** It hands its shards over and takes none. */
  readonly isLeaving: boolean;
  /** Grows while the process lives. */
  readonly beats: number;
}

export interface FleetState {
  readonly processes: readonly FleetProcess[];
  /** By shard the id of the process that holds it; null where none does. */
  readonly holders: readonly (string | null)[];
}

/** A sign of life without an answer for so long is none: the lease is hardly longer. */
const BEAT_ANSWER_MAX_MS = 2_000;
/** Several signs of life come in this time. */
const SIGN_SEEN_MS = 1_500;

export class FleetTable {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async join({ id, url, release }: Pick<FleetProcess, 'id' | 'url' | 'release'>): Promise<void> {
    await this.#run('insert into processes (id, url, release) values ($1, $2, $3)', [
      id,
      url,
      release,
    ]);
  }

  /** False where the row has gone: the others have taken the process for dead. */
  async beat(id: string): Promise<boolean> {
    return (await this.#run(BEAT, [id])).length > 0;
  }

  async state(): Promise<FleetState> {
    const [row] = await this.#run<StateRow>(STATE, []);
    const processes = (row?.processes ?? []).map(({ is_leaving: isLeaving, ...rest }) => ({
      ...rest,
      isLeaving,
    }));
    return { processes, holders: row?.holders ?? [] };
  }

  /** The processes that give signs of life; to see one takes a second and a half. */
  async living(): Promise<readonly FleetProcess[]> {
    const before = (await this.state()).processes;
    if (before.length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, SIGN_SEEN_MS));
    const { processes } = await this.state();
    return processes.filter(({ id, beats }) =>
      before.some((one) => one.id === id && one.beats !== beats),
    );
  }

  /** Ends a process that has given no sign of life since `beats`; false where it has given one meanwhile. */
  async expel(id: string, beats: number): Promise<boolean> {
    return (await this.#run(EXPEL, [id, beats])).length > 0;
  }

  async leaving(id: string): Promise<void> {
    await this.#run('update processes set is_leaving = true where id = $1', [id]);
  }

  /** Ends the own process. */
  async leave(id: string): Promise<void> {
    await this.#run(LEAVE, [id]);
  }

  async #run<Row extends object>(
    statement: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    return (await this.#pool.run<Row>(statement, values, BEAT_ANSWER_MAX_MS)).rows;
  }
}

interface StateRow {
  readonly processes: readonly (Omit<FleetProcess, 'isLeaving'> & {
    readonly is_leaving: boolean;
  })[];
  readonly holders: readonly (string | null)[];
}

const BEAT = 'update processes set beats = beats + 1 where id = $1 returning id';

const STATE = `
  select coalesce((select json_agg(p order by p.id) from processes p), '[]') as processes,
         (select json_agg(holder order by shard) from shards) as holders`;

/** In one statement: from here on no sign of life of the process counts, and its shards are free. */
const EXPEL = `
  with gone as (delete from processes where id = $1 and beats = $2 returning id),
       freed as (update shards set holder = null from gone where holder = gone.id)
  select id from gone`;

const LEAVE = `
  with gone as (delete from processes where id = $1)
  update shards set holder = null where holder = $1`;
