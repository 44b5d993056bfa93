// The shards that this process holds: each is a storage, its records in memory and its writer.

import type { OpenAccountRecords } from '../../core/records/memory-store.js';
import { GroupCommit } from '../../storage/postgres/group-commit.js';
import type { PostgresPool } from '../../storage/postgres/postgres-pool.js';
import { openShard, type ShardStorage } from '../../storage/postgres/shard-storage.js';

export interface HeldShard {
  readonly records: OpenAccountRecords;
  readonly storage: ShardStorage;
}

export interface HeldShardsOptions {
  readonly pool: PostgresPool;
  /** Opens the records of a shard. `onLost`: nobody can tell what its storage holds. */
  readonly open: (
    storage: ShardStorage,
    shard: number,
    onLost: () => void,
  ) => Promise<OpenAccountRecords>;
  /** Called when a shard begins or ceases to be held. */
  readonly onChange: () => void;
}

export class HeldShards {
  readonly #options: HeldShardsOptions;
  readonly #group: GroupCommit;
  readonly #held = new Map<number, HeldShard>();
  /** Being taken or handed over. */
  readonly #busy = new Set<number>();
  /** Grows when everything is dropped: what was under way then belongs to nobody. */
  #generation = 0;
  #taken = 0;
  #handedOver = 0;

  constructor(options: HeldShardsOptions) {
    this.#options = options;
    this.#group = new GroupCommit(options.pool);
  }

  get(shard: number): HeldShard | undefined {
    return this.#held.get(shard);
  }

  /** Held, being taken or being handed over. */
  has(shard: number): boolean {
    return this.#held.has(shard) || this.#busy.has(shard);
  }

  /** Those that are held, by shard. */
  get all(): ReadonlyMap<number, HeldShard> {
    return this.#held;
  }

  get figures() {
    return { shards: this.#held.size, taken: this.#taken, handedOver: this.#handedOver };
  }

  get size(): number {
    return this.#held.size;
  }

  /** Takes a free shard and loads it; false where another process was quicker. */
  async take(shard: number, holder: string): Promise<boolean> {
    if (this.has(shard)) return false;
    const generation = this.#generation;
    this.#busy.add(shard);
    let storage: ShardStorage | undefined;
    try {
      storage = await openShard({ group: this.#group, shard, holder });
      if (storage === undefined) return false;
      const records = await this.#options.open(storage, shard, () => this.#lose(shard, storage));
      if (generation !== this.#generation) return false;
      this.#held.set(shard, { records, storage });
      this.#taken++;
      this.#options.onChange();
      return true;
    } catch (error) {
      // It is free again, for a process that can load it.
      await storage?.release().catch(() => {});
      throw error;
    } finally {
      if (generation === this.#generation) this.#busy.delete(shard);
    }
  }

  /** Takes no new write, finishes those under way, and gives the shard back. */
  async handOver(shard: number): Promise<void> {
    const held = this.#held.get(shard);
    if (held === undefined) return;
    const generation = this.#generation;
    this.#held.delete(shard);
    this.#busy.add(shard);
    try {
      await held.records.close();
      await held.storage.release();
      this.#handedOver++;
    } finally {
      if (generation === this.#generation) this.#busy.delete(shard);
      this.#options.onChange();
    }
  }

  /** Other processes hold everything: memory is dropped, and nothing is given back. */
  dropAll(): void {
    this.#generation++;
    const held = [...this.#held.values()];
    this.#held.clear();
    this.#busy.clear();
    for (const { records } of held) void records.refuseWrites();
    this.#options.onChange();
  }

  /** Its storage gives no answer that counts: the shard is given back, if it still is this process's, and loaded anew. */
  #lose(shard: number, storage: ShardStorage | undefined): void {
    if (this.#held.get(shard)?.storage !== storage) return;
    this.#held.delete(shard);
    this.#busy.add(shard);
    const generation = this.#generation;
    void storage
      ?.release()
      .catch(() => {})
      .finally(() => {
        if (generation === this.#generation) this.#busy.delete(shard);
        this.#options.onChange();
      });
  }
}
