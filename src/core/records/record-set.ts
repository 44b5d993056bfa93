// The records in memory. Each account has for each collection its own ordered
// list, so no operation looks at another account's records.

import { byCollection, type CollectionName, isCollectionName } from '../domain/collection-name.js';
import { keyOf, sequenceOf } from '../domain/identifier.js';
import { utf8Length } from '../utf8-length.js';
import {
  type Change,
  type ListSnapshot,
  lowerBound,
  type MemoryRecord,
  RecordList,
} from './record-list.js';
import type { Changes, PutRow, StoredRow } from './record-storage.js';
import { columnsOf, unusableRow } from './stored-row.js';

/** The size of an account. */
export interface AccountSize {
  readonly records: number;
  /** UTF-8 bytes of the records' texts; 0 if bytes are not counted. */
  readonly bytes: number;
}

/** One account's records. */
interface Account {
  readonly lists: Partial<Record<CollectionName, RecordList>>;
  records: number;
  bytes: number;
}

const NOTHING: AccountSize = { records: 0, bytes: 0 };

/** 1 for a create, -1 for a delete. */
const addedBy = ({ before, after }: Change) =>
  Number(after !== undefined) - Number(before !== undefined);

export class RecordSet {
  readonly #countsBytes: boolean;
  readonly #accounts = new Map<string, Account>();
  /** The highest number ever used in an id of each collection. */
  readonly sequences: Record<CollectionName, number> = byCollection(() => 0);
  /** Records of all accounts, and rows without an owner. */
  readonly counts: Record<CollectionName, number> = byCollection(() => 0);
  /** The sorted index of owners, built when it is first read. */
  #owners: string[] | undefined;
  #position = 0;

  /** `countsBytes`: whether each account's bytes are counted, which reads every character of a write. */
  constructor({ countsBytes = false } = {}) {
    this.#countsBytes = countsBytes;
  }

  /** Adds stored rows, in the order of their positions. Throws an error that names the row if one is not a record. */
  load(rows: readonly (StoredRow | PutRow)[]): void {
    for (const row of rows) {
      const { position, collection, body } = row;
      if (!isCollectionName(collection)) throw unusableRow(row, 'has an unknown collection');
      const { owner, id, status } = 'owner' in row ? row : columnsOf(row);
      const key = keyOf(collection, id);
      this.raiseSequence(collection, typeof key === 'number' ? key : sequenceOf(collection, key));
      this.#position = Math.max(this.#position, position);
      this.counts[collection]++;
      // Legacy rows without `owner_sub` are counted for the operator, but no account can read them.
      if (owner === undefined) continue;
      const account = this.#account(owner);
      account.records++;
      account.bytes += this.byteDelta('', body);
      account.lists[collection] ??= new RecordList();
      account.lists[collection].add({ position, key, text: body, status });
    }
    this.#owners = undefined;
  }

  /** Ids continue after this number if it is the highest so far. */
  raiseSequence(collection: CollectionName, highest: number): void {
    this.sequences[collection] = Math.max(this.sequences[collection], highest);
  }

  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    return this.list(owner, collection)?.get(keyOf(collection, id));
  }

  /** Undefined if the account has no such list. The list changes with the set; asynchronous code takes a `snapshot`. */
  list(owner: string, collection: CollectionName): RecordList | undefined {
    return this.#accounts.get(owner)?.lists[collection];
  }

  /** The records as they are now, whatever changes later. */
  snapshot(owner: string, collection: CollectionName): ListSnapshot {
    return this.list(owner, collection)?.snapshot() ?? [];
  }

  /** Applies a committed change. Without `before` and `after`, the record was created and deleted in the same commit. */
  apply(change: Change): void {
    const { owner, collection, before, after, byteDelta } = change;
    if (before === undefined && after === undefined) return;
    const isNew = !this.#accounts.has(owner);
    const account = this.#account(owner);
    account.lists[collection] ??= new RecordList();
    const list = account.lists[collection];
    if (after === undefined) list.remove(before as MemoryRecord);
    else if (before === undefined) list.add(after);
    else list.replace(after);
    const added = addedBy(change);
    account.records += added;
    account.bytes += byteDelta;
    this.counts[collection] += added;
    if (isNew) this.#owners?.splice(this.#ownerIndex(owner), 0, owner);
    if (account.records > 0) return;
    this.#accounts.delete(owner);
    this.#owners?.splice(this.#ownerIndex(owner), 1);
  }

  /** The rows to write and remove, and the highest id numbers, for the storage. */
  toStore(changes: Iterable<Change>): Pick<Changes, 'puts' | 'removals' | 'sequences'> {
    const puts: PutRow[] = [];
    const removals: number[] = [];
    const sequences: Partial<Record<CollectionName, number>> = {};
    for (const { owner, collection, id, before, after } of changes) {
      if (after !== undefined) {
        const { position, text, status } = after;
        puts.push({ position, collection, id, body: text, owner, status });
      } else if (before !== undefined) removals.push(before.position);
      // The highest number is stored with each create and delete, so that no id is given twice.
      if (before === undefined || after === undefined) {
        sequences[collection] = this.sequences[collection];
      }
    }
    return { puts, removals, sequences };
  }

  /** Takes the next number of a collection's ids, which is not reused if storing the record fails, and the next position. */
  next(collection: CollectionName): Pick<MemoryRecord, 'key' | 'position'> {
    return { key: ++this.sequences[collection], position: ++this.#position };
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

  /** An account's number of records by collection. */
  countsOf(owner: string): Record<CollectionName, number> {
    const lists = this.#accounts.get(owner)?.lists;
    return byCollection((name) => lists?.[name]?.length ?? 0);
  }

  /** The size of an account after these changes. */
  sizeOf(owner: string, changes: Iterable<Change> = []): AccountSize {
    let { records, bytes } = this.#accounts.get(owner) ?? NOTHING;
    for (const change of changes) {
      if (change.owner !== owner) continue;
      records += addedBy(change);
      bytes += change.byteDelta;
    }
    return { records, bytes };
  }

  /** UTF-8 bytes by which a record's text becomes longer; 0 if bytes are not counted. */
  byteDelta(before: string, after: string): number {
    return this.#countsBytes ? utf8Length(after) - utf8Length(before) : 0;
  }

  #ownerIndex(owner: string): number {
    return lowerBound(this.#owners ?? [], (other) => other < owner);
  }

  #account(owner: string): Account {
    let account = this.#accounts.get(owner);
    if (account === undefined) {
      account = { lists: {}, records: 0, bytes: 0 };
      this.#accounts.set(owner, account);
    }
    return account;
  }
}
