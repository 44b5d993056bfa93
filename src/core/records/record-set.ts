// The records in memory. Each account has for each collection its own ordered
// list, so no operation looks at another account's records.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
  isCollectionName,
} from '../domain/collection-name.js';
import { keyOf, sequenceOf } from '../domain/identifier.js';
import { type DeferredAccount, DeferredAccounts } from './deferred-accounts.js';
import type { DeferredRows, JournalRow, RowFacts } from './journal.js';
import { type MemoryRecord, memoryRecord } from './memory-record.js';
import { type ListSnapshot, NO_RECORDS, RecordList } from './record-list.js';
import { SortedTexts } from './sorted-texts.js';
import { ofNoCollection, storedFacts } from './stored-facts.js';
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
  /** Rows of a start whose records are not made yet. */
  #deferred: DeferredAccount | undefined;
  recordCount: number;
  /** UTF-8 bytes of the records' texts; 0 where bytes are not counted. */
  bytes = 0;

  constructor(deferred?: DeferredAccount) {
    this.#deferred = deferred;
    this.recordCount = deferred?.length ?? 0;
  }

  /** How many records there are of each collection. */
  counts(): Record<CollectionName, number> {
    if (this.#deferred !== undefined) return this.#deferred.counts();
    return byCollection((name) => this.#lists[name]?.length ?? 0);
  }

  get lists(): Readonly<Lists> {
    if (this.#deferred !== undefined) this.make();
    return this.#lists;
  }

  list(collection: CollectionName): RecordList {
    if (this.#deferred !== undefined) this.make();
    this.#lists[collection] ??= new RecordList();
    return this.#lists[collection];
  }

  /** Makes the records of the start. */
  make(): void {
    const deferred = this.#deferred;
    this.#deferred = undefined;
    for (const row of deferred?.rows() ?? []) {
      this.list(row.collection).add(storedRecord(row, storedFacts(row)));
    }
  }
}

/** How much an account has. */
export interface AccountSize {
  readonly records: number;
  /** UTF-8 bytes of the records' texts; 0 where bytes are not counted. */
  readonly bytes: number;
}

const NOTHING: AccountSize = { records: 0, bytes: 0 };

export interface RecordSetOptions {
  /** Whether each account's bytes are counted, which costs a look at every character. */
  readonly countsBytes: boolean;
}

/** Records of an account that are made when it is first asked for, which takes some 5 ms; those of a larger one at the start. */
const DEFERRED_MAX_RECORDS = 5_000;

export class RecordSet {
  readonly #options: RecordSetOptions;
  readonly #accounts = new Map<string, Account>();
  /** Legacy rows without `owner_sub`: counted for the operator, reachable by no account. */
  #unowned = new Account();
  #deferred: DeferredAccounts | undefined;
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
  load(page: readonly JournalRow[] | DeferredRows): void {
    this.#owners = undefined;
    if (!('summary' in page) || this.#options.countsBytes) {
      for (const row of page) this.#loadRow(row);
      return;
    }
    this.#deferred ??= new DeferredAccounts();
    const { owners, collections } = page.summary();
    this.#deferred.add(page, owners);
    for (const name of COLLECTION_NAMES) {
      this.#counts[name] += collections[name].records;
      this.raiseSequence(name, collections[name].highest);
    }
    this.#position = Math.max(this.#position, page.lastPosition);
  }

  /** Every row is there. */
  loaded(): void {
    for (const deferred of this.#deferred?.accounts() ?? []) {
      const account = new Account(deferred);
      if (deferred.owner === undefined) this.#unowned = account;
      else this.#accounts.set(deferred.owner, account);
      // While nobody waits for it.
      if (deferred.length > DEFERRED_MAX_RECORDS) account.make();
    }
    this.#deferred = undefined;
  }

  #loadRow(row: JournalRow): void {
    if (!isCollectionName(row.collection)) throw ofNoCollection(row);
    const facts = storedFacts(row);
    const account = facts.owner === undefined ? this.#unowned : this.#account(facts.owner);
    const record = storedRecord(row, facts);
    account.list(row.collection).add(record);
    account.recordCount++;
    account.bytes += this.growth(undefined, record.text);
    this.#counts[row.collection]++;
    this.#position = Math.max(this.#position, row.position);
    this.raiseSequence(row.collection, sequenceOf(row.collection, facts.id));
  }

  /** Ids go on after this number, where it is higher than every number so far. */
  raiseSequence(collection: CollectionName, highest: number): void {
    this.#sequences[collection] = Math.max(this.#sequences[collection], highest);
  }

  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    return this.#accounts.get(owner)?.lists[collection]?.get(keyOf(collection, id));
  }

  /** Undefined where the account has, and had, none of the collection. The list changes with the set: code that waits takes a `snapshot`. */
  list(owner: string, collection: CollectionName): RecordList | undefined {
    return this.#accounts.get(owner)?.lists[collection];
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
    const target = account.list(collection);
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

function storedRecord(
  { position, collection, body: text }: JournalRow,
  facts: RowFacts,
): MemoryRecord {
  return memoryRecord(position, keyOf(collection, facts.id), { text, status: facts.status });
}
