// A page of rows of a storage that keeps no more than the bodies: each is parsed at the start.

import { COLLECTION_NAMES, isCollectionName } from '../domain/collection-name.js';
import { keyOf, type RecordKey } from '../domain/identifier.js';
import type { RecordText } from '../domain/record.js';
import type { DeferredRows, StoredRow } from './record-storage.js';
import { ofNoCollection, storedFacts } from './stored-facts.js';
import { utf8Length } from './utf8-length.js';

export class ParsedRows implements DeferredRows {
  readonly length: number;
  readonly collections: Uint8Array;
  readonly #rows: readonly StoredRow[];
  readonly #keys: RecordKey[] = [];
  readonly #statuses: RecordText['status'][] = [];
  #owners: (string | undefined)[] = [];

  /** Throws, naming the row, where one is of no collection or its body is no record. */
  constructor(rows: readonly StoredRow[]) {
    this.#rows = rows;
    this.length = rows.length;
    this.collections = new Uint8Array(rows.length);
    for (const [place, row] of rows.entries()) {
      if (!isCollectionName(row.collection)) throw ofNoCollection(row);
      const { owner, id, status } = storedFacts(row);
      this.collections[place] = COLLECTION_NAMES.indexOf(row.collection);
      this.#owners.push(owner);
      this.#keys.push(keyOf(row.collection, id));
      this.#statuses.push(status);
    }
  }

  [Symbol.iterator](): Iterator<StoredRow> {
    return this.#rows[Symbol.iterator]();
  }

  takeOwners(): readonly (string | undefined)[] {
    const owners = this.#owners;
    this.#owners = [];
    return owners;
  }

  positionOf(place: number): number {
    return this.#rowAt(place).position;
  }

  keyOf(place: number): RecordKey {
    return this.#keys[place] ?? '';
  }

  recordOf(place: number): RecordText {
    return { text: this.#rowAt(place).body, status: this.#statuses[place] };
  }

  bytesOf(place: number): number {
    return utf8Length(this.#rowAt(place).body);
  }

  #rowAt(place: number): StoredRow {
    const row = this.#rows[place];
    if (row === undefined) throw new RangeError(`the page has no row ${place}`);
    return row;
  }
}
