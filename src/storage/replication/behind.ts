// Since when the replica lacks a commit.

/** More groups are not kept apart: only the oldest matters. */
const GROUPS_MAX = 100;

/** Commits between the beginnings of two syncs. */
interface Group {
  /** Of its first commit, in milliseconds since 1970, UTC. */
  readonly since: number;
  /** Litestream's number of the change that holds it; undefined until a sync has taken it. */
  txid?: number;
}

export class Behind {
  #groups: Group[] = [];
  /** Takes the next commit; undefined before the first one after a sync began. */
  #open: Group | undefined;

  /** When the oldest commit was made that the replica is not known to have. */
  get since(): number | undefined {
    return this.#groups[0]?.since;
  }

  committed(at: number): void {
    if (this.#open !== undefined) return;
    this.#open = { since: at };
    if (this.#groups.length >= GROUPS_MAX) this.#groups.splice(1, 1);
    this.#groups.push(this.#open);
  }

  syncBegan(): void {
    this.#open = undefined;
  }

  /** Every commit before the sync began is in a change up to `txid`; the replica has all up to `replicatedTxid`. */
  syncEnded(txid: number, replicatedTxid: number): void {
    // A restarted Litestream may count from 1 again.
    const hasAll = replicatedTxid >= txid;
    this.#groups = this.#groups.filter((group) => {
      if (group === this.#open) return true;
      group.txid ??= txid;
      return !hasAll && group.txid > replicatedTxid;
    });
  }
}
