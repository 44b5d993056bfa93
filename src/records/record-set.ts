// The records in memory. Each account has for each collection its own ordered
// list, so no operation looks at another account's records. A record is kept as
// its JSON text with the few facts that are looked up; nothing is parsed to be read.

import { byCollection, type CollectionName, isCollectionName } from '../domain/collection-name.js';
import { keyOf, type RecordKey, sequenceOf } from '../domain/identifier.js';
import type { RecordText } from '../domain/record.js';
import type { JournalRow } from './journal.js';
import { SortedTexts } from './sorted-texts.js';
import { describeRow, storedFacts } from './stored-facts.js';
import { utf8Length } from './utf8-length.js';

/** A record in memory: never changed in place, an update puts another in its stead. */
export interface MemoryRecord {
  /** Order of creation in this set; lists are sorted by it. */
  readonly position: number;
  readonly key: RecordKey;
  readonly text: string;
  /** The `status` property; undefined where there is none, null where it is no string. */
  readonly status: string | null | undefined;
}

/** One record's change: created without `before`, deleted without `after`, else updated. */
export interface Change {
  readonly owner: string;
  readonly collection: CollectionName;
  readonly before?: MemoryRecord | undefined;
  readonly after?: MemoryRecord | undefined;
}

/** One account's records of one collection. */
class Shelf {
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

/** One account's records. */
class Account {
  readonly shelves: Partial<Record<CollectionName, Shelf>> = {};
  recordCount = 0;
  /** UTF-8 bytes of the records' texts; 0 where bytes are not counted. */
  bytes = 0;

  shelf(collection: CollectionName): Shelf {
    this.shelves[collection] ??= new Shelf();
    return this.shelves[collection];
  }
}

/** How much an account has. */
export interface Holding {
  readonly records: number;
  /** UTF-8 bytes of the records' texts; 0 where bytes are not counted. */
  readonly bytes: number;
}

const NOTHING: Holding = { records: 0, bytes: 0 };

export interface RecordSetOptions {
  /** Whether each account's bytes are counted, which costs a look at every character. */
  readonly countsBytes: boolean;
}

const NO_RECORDS: readonly MemoryRecord[] = [];

export class RecordSet {
  readonly #options: RecordSetOptions;
  readonly #accounts = new Map<string, Account>();
  /** Legacy rows without `owner_sub`: counted for the operator, reachable by no account. */
  readonly #unowned = new Account();
  readonly #sequences: Record<CollectionName, number> = byCollection(() => 0);
  /** Records of all accounts and of none. */
  readonly #counts: Record<CollectionName, number> = byCollection(() => 0);
  /** Subjects with at least one record, from the first look at them on. */
  #owners: SortedTexts | undefined;
  #position = 0;

  constructor(options: RecordSetOptions = { countsBytes: false }) {
    this.#options = options;
  }

  /** Takes in a stored row. Rows come in order of position. Throws where the body is no record. */
  load(row: JournalRow): void {
    if (!isCollectionName(row.collection))
      throw new Error(`${describeRow(row)} is of no collection`);
    const { owner, id, status } = storedFacts(row);
    const account = owner === undefined ? this.#unowned : this.#account(owner);
    const key = keyOf(row.collection, id);
    const record = memoryRecord(row.position, key, { text: row.body, status });
    account.shelf(row.collection).add(record);
    this.#count(account, undefined, record);
    this.#counts[row.collection]++;
    this.#owners = undefined;
    this.#position = Math.max(this.#position, row.position);
    this.raiseSequence(row.collection, sequenceOf(row.collection, id));
  }

  /** Ids go on after this number, where it is higher than every number so far. */
  raiseSequence(collection: CollectionName, highest: number): void {
    this.#sequences[collection] = Math.max(this.#sequences[collection], highest);
  }

  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    return this.#accounts.get(owner)?.shelves[collection]?.get(keyOf(collection, id));
  }

  /** Oldest first. The array changes with the set: code that waits takes a `snapshot`. */
  records(owner: string, collection: CollectionName): readonly MemoryRecord[] {
    return this.#accounts.get(owner)?.shelves[collection]?.ordered ?? NO_RECORDS;
  }

  /** Oldest first, as the records are now: the array never changes, and is another one after each change. */
  snapshot(owner: string, collection: CollectionName): readonly MemoryRecord[] {
    return this.#accounts.get(owner)?.shelves[collection]?.snapshot() ?? NO_RECORDS;
  }

  /** Follows a commit. A change without `before` and `after` is a record that was created and deleted within it. */
  apply({ owner, collection, before, after }: Change): void {
    if (before === undefined && after === undefined) return;
    const isNew = !this.#accounts.has(owner);
    const account = this.#account(owner);
    const target = account.shelf(collection);
    this.#count(account, before, after);
    if (before === undefined && after !== undefined) {
      target.add(after);
      this.#counts[collection]++;
      if (isNew) this.#owners?.add(owner);
    } else if (after !== undefined) {
      target.replace(after);
    } else if (before !== undefined) {
      target.remove(before);
      this.#counts[collection]--;
      if (account.recordCount === 0) {
        this.#accounts.delete(owner);
        this.#owners?.delete(owner);
      }
    }
  }

  /** The next number of a collection's ids. A number is given once, even if its record then fails to be stored. */
  nextSequence(collection: CollectionName): number {
    this.#sequences[collection] += 1;
    return this.#sequences[collection];
  }

  /** The highest number that an id of the collection was ever given. */
  sequence(collection: CollectionName): number {
    return this.#sequences[collection];
  }

  nextPosition(): number {
    this.#position += 1;
    return this.#position;
  }

  /** Subjects with at least one record, in order. */
  get owners(): SortedTexts {
    this.#owners ??= new SortedTexts(this.#accounts.keys());
    return this.#owners;
  }

  get ownerCount(): number {
    return this.#accounts.size;
  }

  has(owner: string): boolean {
    return this.#accounts.has(owner);
  }

  /** How many records there are of a collection, rows without an owner included. */
  count(collection: CollectionName): number {
    return this.#counts[collection];
  }

  /** How much an account has, without the changes that are not yet committed. */
  holding(owner: string): Holding {
    const account = this.#accounts.get(owner);
    return account === undefined ? NOTHING : { records: account.recordCount, bytes: account.bytes };
  }

  /** UTF-8 bytes of a record's text, as far as bytes are counted. */
  bytesOf(record: MemoryRecord | undefined): number {
    return record === undefined || !this.#options.countsBytes ? 0 : utf8Length(record.text);
  }

  #count(account: Account, before: MemoryRecord | undefined, after: MemoryRecord | undefined) {
    account.recordCount += Number(after !== undefined) - Number(before !== undefined);
    account.bytes += this.bytesOf(after) - this.bytesOf(before);
  }

  #account(owner: string): Account {
    let account = this.#accounts.get(owner);
    if (account === undefined) {
      account = new Account();
      this.#accounts.set(owner, account);
    }
    return account;
  }
}

/** The record as memory keeps it. */
export function memoryRecord(
  position: number,
  key: RecordKey,
  { text, status }: RecordText,
): MemoryRecord {
  if (status === undefined || typeof status === 'string') return { position, key, text, status };
  return { position, key, text, status: null };
}
