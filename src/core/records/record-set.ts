// The records in memory. Each account has for each collection its own ordered
// list, so no operation looks at another account's records.

import { byCollection, COLLECTION_NAMES, type CollectionName } from '../domain/collection-name.js';
import { keyOf, sequenceOf } from '../domain/identifier.js';
import type { MemoryRecord } from './memory-record.js';
import { ParsedRows } from './parsed-rows.js';
import { type ListSnapshot, NO_RECORDS, RecordList } from './record-list.js';
import type { DeferredRows, StoredRow } from './record-storage.js';
import { SortedTexts } from './sorted-texts.js';
import { StoredRecords } from './stored-records.js';
import { utf8Length } from './utf8-length.js';

/** One record's change: created without `before`, deleted without `after`, else updated. */
export interface Change {
  readonly owner: string;
  readonly collection: CollectionName;
  readonly before?: MemoryRecord | undefined;
  readonly after?: MemoryRecord | undefined;
  /** UTF-8 bytes by which the account grows, as `RecordSet.growth` tells: a look at a large text takes milliseconds. */
  readonly growth: number;
}

type Lists = Partial<Record<CollectionName, RecordList>>;

/** One account's records. */
class Account {
  readonly #lists: Lists = {};
  /** The rows of the start; a list is made of them when it is first asked for. */
  readonly #stored: StoredRecords | undefined;
  /** Among the accounts of the start. */
  readonly number: number;
  recordCount = 0;
  /** UTF-8 bytes of the records' texts; 0 where bytes are not counted. */
  bytes = 0;

  constructor(stored?: StoredRecords, number = 0) {
    this.#stored = stored;
    this.number = number;
  }

  /** How many records there are of each collection. */
  counts(): Record<CollectionName, number> {
    return byCollection((name) => this.#lists[name]?.length ?? this.#storedCount(name));
  }

  /** Undefined where the account has, and had, none of the collection. */
  list(collection: CollectionName): RecordList | undefined {
    const list = this.#lists[collection];
    if (list !== undefined || this.#storedCount(collection) === 0) return list;
    return this.listFor(collection);
  }

  /** The list for a new record. */
  listFor(collection: CollectionName): RecordList {
    this.#lists[collection] ??= new RecordList(this.#stored?.list(this.number, collection));
    return this.#lists[collection];
  }

  #storedCount(collection: CollectionName): number {
    return this.#stored?.list(this.number, collection).length ?? 0;
  }
}

/** How much an account has. */
export interface AccountSize {
  readonly records: number;
  /** UTF-8 bytes of the records' texts; 0 where bytes are not counted. */
  readonly bytes: number;
}

const NOTHING: AccountSize = { records: 0, bytes: 0 };

/** The rows of a start, and its accounts by number. */
class Start {
  readonly stored = new StoredRecords();
  /** The first has the legacy rows without `owner_sub`: counted for the operator, reachable by no account. */
  readonly accounts = [new Account(this.stored)];
}

export interface RecordSetOptions {
  /** Whether each account's bytes are counted, which costs a look at every character of a write. */
  readonly countsBytes: boolean;
}

export class RecordSet {
  readonly #options: RecordSetOptions;
  readonly #accounts = new Map<string, Account>();
  /** While the rows of a start come in. */
  #start: Start | undefined;
  readonly #sequences: Record<CollectionName, number> = byCollection(() => 0);
  /** Records of all accounts and of none. */
  readonly #counts: Record<CollectionName, number> = byCollection(() => 0);
  /** Subjects with at least one record, from the first look at them on. */
  #owners: SortedTexts | undefined;
  #position = 0;

  constructor(options: RecordSetOptions = { countsBytes: false }) {
    this.#options = options;
  }

  /** Takes in stored rows, which come in order of position. Throws, naming the row, where one is no record. */
  load(page: readonly StoredRow[] | DeferredRows): void {
    const rows = 'takeOwners' in page ? page : new ParsedRows(page);
    if (rows.length === 0) return;
    this.#start ??= new Start();
    const numbers = new Uint32Array(rows.length);
    const owners = rows.takeOwners();
    for (let place = 0; place < rows.length; place++) {
      const account = this.#ofStart(owners[place], this.#start);
      numbers[place] = account.number;
      account.recordCount++;
      if (this.#options.countsBytes) account.bytes += rows.bytesOf(place);
      const collection = COLLECTION_NAMES[rows.collections[place] ?? 0];
      if (collection === undefined) continue;
      this.#counts[collection]++;
      const key = rows.keyOf(place);
      this.raiseSequence(collection, typeof key === 'number' ? key : sequenceOf(collection, key));
    }
    this.#start.stored.add(rows, numbers);
    this.#position = Math.max(this.#position, rows.positionOf(rows.length - 1));
  }

  /** Every row is there: from now on the records can be asked for. */
  loaded(): void {
    const { stored, accounts } = this.#start ?? new Start();
    this.#start = undefined;
    this.#owners = undefined;
    stored.sort(accounts.length);
    // Such a list is made as a whole, so this is done while nobody waits for it.
    for (const [number, collection] of stored.disordered()) accounts[number]?.list(collection);
  }

  #ofStart(owner: string | null | undefined, { stored, accounts }: Start): Account {
    const known = typeof owner === 'string' ? this.#accounts.get(owner) : accounts[0];
    if (known !== undefined) return known;
    const account = new Account(stored, accounts.length);
    accounts.push(account);
    if (typeof owner === 'string') this.#accounts.set(owner, account);
    return account;
  }

  /** Ids go on after this number, where it is higher than every number so far. */
  raiseSequence(collection: CollectionName, highest: number): void {
    this.#sequences[collection] = Math.max(this.#sequences[collection], highest);
  }

  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    return this.list(owner, collection)?.get(keyOf(collection, id));
  }

  /** Undefined where the account has, and had, none of the collection. The list changes with the set: code that waits takes a `snapshot`. */
  list(owner: string, collection: CollectionName): RecordList | undefined {
    return this.#accounts.get(owner)?.list(collection);
  }

  /** The records as they are now, whatever changes later. */
  snapshot(owner: string, collection: CollectionName): ListSnapshot {
    return this.list(owner, collection)?.snapshot() ?? NO_RECORDS;
  }

  /** Follows a commit. A change without `before` and `after` is a record that was created and deleted within it. */
  apply({ owner, collection, before, after, growth }: Change): void {
    if (before === undefined && after === undefined) return;
    const isNew = !this.#accounts.has(owner);
    const account = this.#account(owner);
    const target = account.listFor(collection);
    account.recordCount += Number(after !== undefined) - Number(before !== undefined);
    account.bytes += growth;
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

  /** How many records an account has of each collection. */
  countsOf(owner: string): Record<CollectionName, number> {
    return this.#accounts.get(owner)?.counts() ?? byCollection(() => 0);
  }

  /** How much an account has, without the changes that are not yet committed. */
  sizeOf(owner: string): AccountSize {
    const account = this.#accounts.get(owner);
    return account === undefined ? NOTHING : { records: account.recordCount, bytes: account.bytes };
  }

  /** UTF-8 bytes by which a record's text becomes longer; 0 where bytes are not counted. */
  growth(before = '', after = ''): number {
    return this.#options.countsBytes ? utf8Length(after) - utf8Length(before) : 0;
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
