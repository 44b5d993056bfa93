// One account's records of one collection, in the order of creation.
//
// They are kept in chunks. A chunk that a reader may hold never changes: a change puts another
// chunk in its place. So a snapshot of 200,000 records costs 13 KB, not the 1.6 MB of a copy, and
// texts that a search keeps for a chunk stay right for as long as the chunk is in the list.

import type { RecordKey } from '../domain/identifier.js';
import type { MemoryRecord } from './memory-record.js';

/** Few enough that a changed chunk is soon copied, and folded again by a search. */
export const CHUNK_RECORDS = 128;

/** Consecutive records, oldest first. */
export type Chunk = readonly MemoryRecord[];

/** A list as it was at one moment. */
export interface ListSnapshot {
  /** Oldest first; none is empty. */
  readonly chunks: readonly Chunk[];
  /** Records. */
  readonly length: number;
}

export const NO_RECORDS: ListSnapshot = { chunks: [], length: 0 };

/** One account's records of one collection. */
export class RecordList {
  /** Only where the keys do not ascend with the positions, as of rows that another program wrote. */
  #byKey: Map<RecordKey, MemoryRecord> | undefined;
  #chunks: Chunk[] = [];
  #length = 0;
  /** Until the next change. */
  #snapshot: ListSnapshot | undefined;
  /** The last chunk, while no snapshot has it: only this one grows in place. */
  #growing: MemoryRecord[] | undefined;

  get length(): number {
    return this.#length;
  }

  get(key: RecordKey): MemoryRecord | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(key);
    if (typeof key !== 'number') return undefined;
    // Every key is a number.
    const keyOf = (record: MemoryRecord | undefined) => record?.key as number;
    const chunk = this.#chunks[lastUpTo(this.#chunks, (each) => keyOf(each[0]), key)] ?? [];
    const record = chunk[lastUpTo(chunk, keyOf, key)];
    return record?.key === key ? record : undefined;
  }

  /** The same one until the next change. */
  snapshot(): ListSnapshot {
    this.#snapshot ??= { chunks: this.#chunks, length: this.#length };
    return this.#snapshot;
  }

  /** Up to `count` records, newest first, behind the newest `first` ones. */
  page(first: number, count: number): MemoryRecord[] {
    const page: MemoryRecord[] = [];
    let skipped = 0;
    for (let c = this.#chunks.length - 1; c >= 0 && page.length < count; c--) {
      const chunk = this.#chunks[c] ?? [];
      const newest = chunk.length - 1 - Math.max(first - skipped, 0);
      for (let i = newest; i >= 0 && page.length < count; i--) {
        const record = chunk[i];
        if (record !== undefined) page.push(record);
      }
      skipped += chunk.length;
    }
    return page;
  }

  add(record: MemoryRecord): void {
    this.#beforeChange();
    this.#noteKey(record);
    this.#length++;
    const last = this.#chunks.at(-1);
    if (this.#growing !== undefined && this.#growing.length < CHUNK_RECORDS) {
      this.#growing.push(record);
    } else if (last !== undefined && last.length < CHUNK_RECORDS) {
      this.#growing = [...last, record];
      this.#chunks[this.#chunks.length - 1] = this.#growing;
    } else {
      this.#growing = [record];
      this.#chunks.push(this.#growing);
    }
  }

  replace(record: MemoryRecord): void {
    this.#beforeChange();
    this.#byKey?.set(record.key, record);
    const [number, chunk, index] = this.#placeOf(record.position);
    const changed = chunk.slice();
    changed[index] = record;
    this.#chunks[number] = changed;
    if (number === this.#chunks.length - 1) this.#growing = changed;
  }

  remove(record: MemoryRecord): void {
    this.#beforeChange();
    this.#byKey?.delete(record.key);
    this.#length--;
    const [number, chunk, index] = this.#placeOf(record.position);
    this.#growing = undefined;
    this.#chunks[number] = chunk.toSpliced(index, 1);
    // Short neighbours become one: a list of which most is deleted has few chunks.
    if (!this.#joined(number)) this.#joined(number - 1);
  }

  #noteKey(record: MemoryRecord): void {
    const { key } = record;
    if (this.#byKey === undefined) {
      const last = this.#chunks.at(-1)?.at(-1)?.key ?? 0;
      if (typeof key === 'number' && key > Number(last)) return;
      this.#byKey = new Map(this.#chunks.flat().map((each) => [each.key, each]));
    }
    this.#byKey.set(key, record);
  }

  /** Makes one of a chunk and the next one, where both are short. An empty one goes in any case. */
  #joined(number: number): boolean {
    const [chunk, next] = [this.#chunks[number], this.#chunks[number + 1]];
    if (chunk === undefined) return false;
    if (
      next === undefined ||
      (chunk.length > 0 && chunk.length + next.length > CHUNK_RECORDS / 2)
    ) {
      if (chunk.length === 0) this.#chunks.pop();
      return false;
    }
    this.#chunks.splice(number, 2, [...chunk, ...next]);
    return true;
  }

  /** The chunks of a snapshot stay as they are. */
  #beforeChange(): void {
    if (this.#snapshot === undefined) return;
    this.#snapshot = undefined;
    this.#chunks = this.#chunks.slice();
    this.#growing = undefined;
  }

  /** The number of the chunk that has the position, the chunk, and the record's index in it. */
  #placeOf(position: number): [number, Chunk, number] {
    const number = lastUpTo(this.#chunks, (chunk) => chunk[0]?.position ?? 0, position);
    const chunk = this.#chunks[number] ?? [];
    const index = lastUpTo(chunk, (record) => record.position, position);
    if (chunk[index]?.position !== position) {
      throw new Error(`no record at position ${position}: the list and its index disagree`);
    }
    return [number, chunk, index];
  }
}

/** The index of the last item whose number is not beyond `limit`. Binary search: the numbers ascend. */
function lastUpTo<T>(items: readonly T[], numberOf: (item: T) => number, limit: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (numberOf(items[middle] as T) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
