// One account's records of one collection, in the order of creation.

import type { RecordKey } from '../domain/identifier.js';
import type { MemoryRecord } from './memory-record.js';

/** One account's records of one collection. */
export class Shelf {
  /** Made at the first read, because after a start most shelves are never read. */
  #byKey: Map<RecordKey, MemoryRecord> | undefined;
  /** Oldest first. */
  readonly ordered: MemoryRecord[] = [];
  #snapshot: readonly MemoryRecord[] | undefined;

  get(key: RecordKey): MemoryRecord | undefined {
    if (this.#byKey === undefined) {
      this.#byKey = new Map();
      for (const record of this.ordered) this.#byKey.set(record.key, record);
    }
    return this.#byKey.get(key);
  }

  /** A copy that stays as it is; the same one until the next change. */
  snapshot(): readonly MemoryRecord[] {
    this.#snapshot ??= this.ordered.slice();
    return this.#snapshot;
  }

  add(record: MemoryRecord): void {
    this.#snapshot = undefined;
    this.#byKey?.set(record.key, record);
    this.ordered.push(record);
  }

  replace(record: MemoryRecord): void {
    this.#snapshot = undefined;
    this.#byKey?.set(record.key, record);
    this.ordered[this.#indexOf(record.position)] = record;
  }

  remove(record: MemoryRecord): void {
    this.#snapshot = undefined;
    this.#byKey?.delete(record.key);
    this.ordered.splice(this.#indexOf(record.position), 1);
  }

  /** Binary search: positions only ever grow. */
  #indexOf(position: number): number {
    let low = 0;
    let high = this.ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ordered[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    if (this.ordered[low]?.position !== position) {
      throw new Error(`no record at position ${position}: the list and its index disagree`);
    }
    return low;
  }
}
