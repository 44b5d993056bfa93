// One account's records of one collection, in the order of creation.
//
// They are kept in chunks. A chunk that a reader may hold never changes: a change puts another
// chunk in its place. So a snapshot of 200,000 records costs 13 KB, not the 1.6 MB of a copy, and
// texts that a search keeps for a chunk stay right for as long as the chunk is in the list.

import type { RecordKey } from '../domain/identifier.js';
import type { MemoryRecord } from './memory-record.js';
import { StoredList } from './stored-records.js';

/** Few enough that a changed chunk is soon copied, and folded again by a search. */
export const CHUNK_RECORDS = 128;

/** Consecutive records, oldest first. Those of a start are made when somebody asks for them. */
export class Chunk {
  #source: readonly MemoryRecord[] | StoredList;

  constructor(source: readonly MemoryRecord[] | StoredList) {
    this.#source = source;
  }

  get length(): number {
    return this.#source.length;
  }

  get records(): readonly MemoryRecord[] {
    if (this.#source instanceof StoredList) this.#source = this.#source.records();
    return this.#source;
  }

  /** Of the first record. Makes none. */
  get firstKey(): RecordKey | undefined {
    return this.#source instanceof StoredList ? this.#source.key(0) : this.#source[0]?.key;
  }

  get firstPosition(): number {
    if (this.#source instanceof StoredList) return this.#source.position(0);
    return this.#source[0]?.position ?? 0;
  }
}

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

  /** `stored`: the rows of a start that the list begins with. */
  constructor(stored?: StoredList) {
    if (stored === undefined) return;
    if (stored.isOrdered) {
      for (let first = 0; first < stored.length; first += CHUNK_RECORDS) {
        this.#chunks.push(new Chunk(stored.part(first, CHUNK_RECORDS)));
      }
      this.#length = stored.length;
    } else {
      for (const record of stored.records()) this.add(record);
    }
  }

  get length(): number {
    return this.#length;
  }

  get(key: RecordKey): MemoryRecord | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(key);
    if (typeof key !== 'number') return undefined;
    // Every key is a number.
    const chunk = this.#chunks[lastUpTo(this.#chunks, (each) => each.firstKey as number, key)];
    const records = chunk?.records ?? [];
    const record = records[lastUpTo(records, (each) => each.key as number, key)];
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
      const chunk = this.#chunks[c];
      if (chunk === undefined) break;
      const newest = chunk.length - 1 - Math.max(first - skipped, 0);
      for (let i = newest; i >= 0 && page.length < count; i--) {
        const record = chunk.records[i];
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
      this.#growing = [...last.records, record];
      this.#chunks[this.#chunks.length - 1] = new Chunk(this.#growing);
    } else {
      this.#growing = [record];
      this.#chunks.push(new Chunk(this.#growing));
    }
  }

  replace(record: MemoryRecord): void {
    this.#beforeChange();
    this.#byKey?.set(record.key, record);
    const [number, records, index] = this.#placeOf(record.position);
    const changed = records.slice();
    changed[index] = record;
    this.#chunks[number] = new Chunk(changed);
    if (number === this.#chunks.length - 1) this.#growing = changed;
  }

  remove(record: MemoryRecord): void {
    this.#beforeChange();
    this.#byKey?.delete(record.key);
    this.#length--;
    const [number, records, index] = this.#placeOf(record.position);
    this.#growing = undefined;
    this.#chunks[number] = new Chunk(records.toSpliced(index, 1));
    // Short neighbours become one: a list of which most is deleted has few chunks.
    if (!this.#joined(number)) this.#joined(number - 1);
  }

  #noteKey(record: MemoryRecord): void {
    const { key } = record;
    if (this.#byKey === undefined) {
      const last = this.#chunks.at(-1)?.records.at(-1)?.key ?? 0;
      if (typeof key === 'number' && key > Number(last)) return;
      const all = this.#chunks.flatMap(({ records }) => records);
      this.#byKey = new Map(all.map((each) => [each.key, each]));
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
    this.#chunks.splice(number, 2, new Chunk([...chunk.records, ...next.records]));
    return true;
  }

  /** The chunks of a snapshot stay as they are. */
  #beforeChange(): void {
    if (this.#snapshot === undefined) return;
    this.#snapshot = undefined;
    this.#chunks = this.#chunks.slice();
    this.#growing = undefined;
  }

  /** The number of the chunk that has the position, its records, and the record's index among them. */
  #placeOf(position: number): [number, readonly MemoryRecord[], number] {
    const number = lastUpTo(this.#chunks, (chunk) => chunk.firstPosition, position);
    const records = this.#chunks[number]?.records ?? [];
    const index = lastUpTo(records, (record) => record.position, position);
    if (records[index]?.position !== position) {
      throw new Error(`no record at position ${position}: the list and its index disagree`);
    }
    return [number, records, index];
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
