// Since when the oldest commit waits that the replica is not known to have.

/** More waiting syncs than this are counted as one: only the oldest matters. */
const MARKS_MAX = 100;

export class ReplicatedUpTo {
  /** Of the first commit that no sync has covered yet. Milliseconds since 1970, UTC. */
  #uncoveredSince: number | undefined;
  /** Of the first commit that the sync under way covers. */
  #underWaySince: number | undefined;
  /** Syncs whose changes the replica is not known to have, the oldest first. */
  #marks: { txid: number; readonly since: number }[] = [];

  get behindSince(): number | undefined {
    return this.#marks[0]?.since ?? this.#underWaySince ?? this.#uncoveredSince;
  }

  committed(at: number): void {
    this.#uncoveredSince ??= at;
  }

  /** A sync begins; returns what `ended` or `failed` is to get. */
  begin(): number | undefined {
    this.#underWaySince = this.#uncoveredSince;
    this.#uncoveredSince = undefined;
    return this.#underWaySince;
  }

  /** It took every commit before its begin as change `txid`; the replica has all up to `replicatedTxid`. */
  ended(since: number | undefined, txid: number, replicatedTxid: number): void {
    this.#underWaySince = undefined;
    const last = this.#marks.at(-1);
    if (since !== undefined) {
      if (last !== undefined && this.#marks.length >= MARKS_MAX) last.txid = txid;
      else this.#marks.push({ txid, since });
    }
    // A Litestream that was started again may count anew: what is behind its number is in its database.
    const reached = Math.min(replicatedTxid, txid);
    const isAll = reached === txid;
    this.#marks = isAll ? [] : this.#marks.filter((mark) => mark.txid > reached);
  }

  failed(since: number | undefined): void {
    this.#underWaySince = undefined;
    this.#uncoveredSince = since ?? this.#uncoveredSince;
  }
}
