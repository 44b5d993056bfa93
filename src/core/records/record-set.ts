// The records in memory. Each account has for each collection its own ordered
// list, so no operation looks at another account's records.

import { byCollection, type CollectionName, isCollectionName } from '../domain/collection-name.js';
import { keyOf, sequenceOf } from '../domain/identifier.js';
import { lowerBound } from './lower-bound.js';
import {
  type Change,
  type ListSnapshot,
  type MemoryRecord,
  NO_RECORDS,
  RecordList,
} from './record-list.js';
import type { PutRow, StoredRow } from './record-storage.js';
import { ofNoCollection, storedFacts } from './stored-facts.js';
import { utf8Length } from './utf8-length.js';

/** One account's records. */
class Account {
  readonly lists: Partial<Record<CollectionName, RecordList>> = {};
  recordCount = 0;
  /** UTF-8 bytes of the records' texts; 0 if bytes are not counted. */
  bytes = 0;

  /** The list for a new record. */
  listFor(collection: CollectionName): RecordList {
    this.lists[collection] ??= new RecordList();
    return this.lists[collection];
  }
}

/** How much an account has. */
export interface AccountSize {
  readonly records: number;
  /** UTF-8 bytes of the records' texts; 0 if bytes are not counted. */
  readonly bytes: number;
}

const NOTHING: AccountSize = { records: 0, bytes: 0 };

export class RecordSet {
  readonly #countsBytes: boolean;
  readonly #accounts = new Map<string, Account>();
  readonly #sequences: Record<CollectionName, number> = byCollection(() => 0);
  /** Records of all accounts and of none. */
  readonly #counts: Record<CollectionName, number> = byCollection(() => 0);
  /** Subjects with at least one record, in order, from the first look at them on. */
  #owners: string[] | undefined;
  #position = 0;

  /** `countsBytes`: whether each account's bytes are counted, which costs a look at every character of a write. */
  constructor({ countsBytes = false } = {}) {
    this.#countsBytes = countsBytes;
  }

  /** Takes in stored rows, which come in order of position. Throws, naming the row, if one is not a record. */
  load(rows: readonly (StoredRow | PutRow)[]): void {
    for (const row of rows) {
      const { position, collection, body } = row;
      if (!isCollectionName(collection)) throw ofNoCollection(row);
      const { owner, id, status } = 'owner' in row ? row : storedFacts(row);
      const key = keyOf(collection, id);
      this.raiseSequence(collection, typeof key === 'number' ? key : sequenceOf(collection, key));
      this.#position = Math.max(this.#position, position);
      this.#counts[collection]++;
      // Legacy rows without `owner_sub` are counted for the operator, and reachable by no account.
      if (owner === undefined) continue;
      const account = this.#account(owner);
      account.recordCount++;
      account.bytes += this.byteDelta('', body);
      account.listFor(collection).add({ position, key, text: body, status });
    }
    this.#owners = undefined;
  }

  /** Ids continue after this number if it is the highest so far. */
  raiseSequence(collection: CollectionName, highest: number): void {
    this.#sequences[collection] = Math.max(this.#sequences[collection], highest);
  }

  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    return this.list(owner, collection)?.get(keyOf(collection, id));
  }

  /** Undefined if the account has, and had, none of the collection. The list changes with the set: code that waits takes a `snapshot`. */
  list(owner: string, collection: CollectionName): RecordList | undefined {
    return this.#accounts.get(owner)?.lists[collection];
  }

  /** The records as they are now, whatever changes later. */
  snapshot(owner: string, collection: CollectionName): ListSnapshot {
    return this.list(owner, collection)?.snapshot() ?? NO_RECORDS;
  }

  /** Follows a commit. A change without `before` and `after` is a record that was created and deleted within it. */
  apply({ owner, collection, before, after, byteDelta }: Change): void {
    if (before === undefined && after === undefined) return;
    const isNew = !this.#accounts.has(owner);
    const account = this.#account(owner);
    account.recordCount += Number(after !== undefined) - Number(before !== undefined);
    account.bytes += byteDelta;
    const list = account.listFor(collection);
    if (before === undefined && after !== undefined) {
      list.add(after);
      this.#counts[collection]++;
      if (isNew) this.#owners?.splice(this.#placeOf(owner), 0, owner);
    } else if (after !== undefined) {
      list.replace(after);
    } else if (before !== undefined) {
      list.remove(before);
      this.#counts[collection]--;
      if (account.recordCount === 0) {
        this.#accounts.delete(owner);
        this.#owners?.splice(this.#placeOf(owner), 1);
      }
    }
  }

  /** Takes the next number of a collection's ids. A number is given once, even if its record then fails to be stored. */
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
  get owners(): readonly string[] {
    this.#owners ??= [...this.#accounts.keys()].sort();
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
    const lists = this.#accounts.get(owner)?.lists;
    return byCollection((name) => lists?.[name]?.length ?? 0);
  }

  /** How much an account has, without the changes that are not yet committed. */
  sizeOf(owner: string): AccountSize {
    const account = this.#accounts.get(owner);
    return account === undefined ? NOTHING : { records: account.recordCount, bytes: account.bytes };
  }

  /** UTF-8 bytes by which a record's text becomes longer; 0 if bytes are not counted. */
  byteDelta(before: string, after: string): number {
    return this.#countsBytes ? utf8Length(after) - utf8Length(before) : 0;
  }

  #placeOf(owner: string): number {
    return lowerBound(this.#owners ?? [], (other) => other < owner);
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
