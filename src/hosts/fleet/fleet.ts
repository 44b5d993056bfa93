// One process of a fleet: it keeps its share of the shards, and knows who holds the others.

import type { Log } from '../../core/log.js';
import type { FleetProcess } from '../../storage/postgres/fleet-table.js';
import { reasonOf } from '../../storage/postgres/postgres-pool.js';
import { SHARD_COUNT } from '../../storage/postgres/shards.js';
import type { HeldShard, HeldShards } from './held-shards.js';
import type { Membership } from './membership.js';

const LOOK_MS = 300;
/** Shards that are taken or handed over at the same time. */
const AT_ONCE = 8;
/** Shards that are handed over between two looks, so that few accounts wait at any time. */
const HANDED_OVER_MAX = 32;

/** Who holds a shard: this process, another one, or nobody at the moment. */
export type Route =
  | { readonly held: HeldShard; readonly peer?: undefined }
  | { readonly peer: FleetProcess; readonly held?: undefined };

export interface FleetOptions {
  readonly membership: Membership;
  readonly shards: HeldShards;
  readonly log: Log;
  /** Called after each look with the processes that live. */
  readonly onLook: (processes: readonly FleetProcess[]) => void;
}

export class Fleet {
  readonly #options: FleetOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #sharing: Promise<void> | undefined;
  #isLeaving = false;
  #isAway = false;
  /** Why the last shard could not be taken. */
  #refusal = '';
  #whenChanged: (() => void)[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Resolves when this process holds its share, and every shard is held by some process. */
  async start(): Promise<void> {
    await this.#options.membership.join();
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    do {
      await this.#share();
      if (!this.#isComplete) await this.changed(LOOK_MS);
    } while (!this.#isComplete);
  }

  /** Whether answers from memory count now: looked at when the answer is made. */
  mayServe(): boolean {
    return this.#options.membership.mayServe();
  }

  get id(): string {
    return this.#options.membership.id;
  }

  get processes(): readonly FleetProcess[] {
    return this.#options.membership.state.processes;
  }

  get shards(): HeldShards {
    return this.#options.shards;
  }

  /** Undefined while the shard changes hands, or is being loaded. */
  routeOf(shard: number): Route | undefined {
    const held = this.#options.shards.get(shard);
    if (held !== undefined) return this.mayServe() ? { held } : undefined;
    const { holders, processes } = this.#options.membership.state;
    const holder = holders[shard];
    if (holder === null || holder === this.id) return undefined;
    const peer = processes.find(({ id }) => id === holder);
    return peer === undefined ? undefined : { peer };
  }

  /** Resolves when something may have changed, or after so many milliseconds. */
  changed(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, maxMs);
      this.#whenChanged.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  tellChange(): void {
    const waiting = this.#whenChanged;
    this.#whenChanged = [];
    for (const tell of waiting) tell();
  }

  /** A sign of life and a look, one at a time; then the share is put right, beside the next looks. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Hands everything over, and goes on as a front until `end`. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    const { membership, shards, log } = this.#options;
    try {
      await membership.leaving();
      await this.#sharing;
      await each([...shards.all.keys()], (shard) => shards.handOver(shard));
    } catch (error) {
      log.warn('shards_not_handed_over', { reason: reasonOf(error), shards: shards.size });
    }
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#options.membership.leave().catch(() => {});
  }

  async #look(): Promise<void> {
    const { membership, log, onLook } = this.#options;
    try {
      await membership.step();
      if (this.#isAway) log.info('database_is_back');
      this.#isAway = false;
      onLook(this.processes);
      if (!this.#isLeaving) void this.#share();
    } catch (error) {
      if (!this.#isAway) {
        log.error('database_unavailable', reasonOf(error), {
          hint: 'reads end within 2.5 s, writes wait up to 10 s; both go on when Postgres answers',
        });
      }
      this.#isAway = true;
    }
    this.tellChange();
  }

  /** Takes free shards up to the fair share, or hands over what is beyond it. One at a time. */
  #share(): Promise<void> {
    this.#sharing ??= this.#putRight()
      .then(
        () => {
          this.#refusal = '';
        },
        (error) => this.#notTaken(reasonOf(error)),
      )
      .finally(() => {
        this.#sharing = undefined;
      });
    return this.#sharing;
  }

  /** Once for each reason: it is tried again at each look. */
  #notTaken(reason: string): void {
    if (reason !== this.#refusal) this.#options.log.error('shards_not_taken', reason);
    this.#refusal = reason;
  }

  async #putRight(): Promise<void> {
    const { membership, shards } = this.#options;
    const { id, state } = membership;
    const staying = state.processes.filter(({ isLeaving }) => !isLeaving).map((each) => each.id);
    const place = staying.indexOf(id);
    if (place === -1 || !this.mayServe()) return;
    const share = Math.ceil(SHARD_COUNT / staying.length);
    const beyond = [...shards.all.keys()].slice(share, share + HANDED_OVER_MAX);
    await each(beyond, (shard) => shards.handOver(shard));
    const isFree = (holder: string | null) => holder === null || holder === id;
    const free = state.holders.flatMap((holder, shard) =>
      isFree(holder) && !shards.has(shard) ? [shard] : [],
    );
    // Each process begins elsewhere, so that two seldom want the same one.
    const first = Math.floor((place * free.length) / staying.length);
    const wanted = [...free.slice(first), ...free.slice(0, first)];
    await each(wanted.slice(0, Math.max(share - shards.size, 0)), async (shard) => {
      if (!this.#isLeaving && membership.id === id) await shards.take(shard, id);
    });
  }

  get #isComplete(): boolean {
    const { holders } = this.#options.membership.state;
    const isServed = (holder: string | null | undefined, shard: number) =>
      holder === this.id || holder === null
        ? this.#options.shards.get(shard) !== undefined
        : holder !== undefined;
    return holders.length > 0 && holders.every(isServed);
  }
}

/** Does it for each shard, some of them at the same time. */
async function each(
  shards: readonly number[],
  act: (shard: number) => Promise<unknown>,
): Promise<void> {
  const left = [...shards];
  const run = async () => {
    for (let shard = left.shift(); shard !== undefined; shard = left.shift()) await act(shard);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}
