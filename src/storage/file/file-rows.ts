// The rows of a page of the file: their bodies in one text, and where to cut it.

import { isAscii } from 'node:buffer';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { keyOf, type RecordKey } from '../../core/domain/identifier.js';
import type { RecordText } from '../../core/domain/record.js';
import type { DeferredRows, PutRow, StoredRow } from '../../core/records/record-storage.js';
import { ofNoCollection, ofTwoOwners, storedFacts } from '../../core/records/stored-facts.js';
import { ownerColumn, statusColumn, statusOfColumn } from './record-columns.js';
import type { FilePage } from './record-pages.js';

/** How a body begins that this program writes: the id and the owner come first. */
const [BEFORE_ID, BEFORE_OWNER] = [Buffer.from('{"id":"'), Buffer.from('","owner_sub":"')];
const [QUOTE, BACKSLASH, BODY_END] = [0x22, 0x5c, 0x7d];
const [SPACE, ASCII_MAX] = [0x20, 0x7f];
const NO_CODES = new Uint8Array();

export class FileRows implements DeferredRows {
  readonly length: number;
  readonly collections: Uint8Array = NO_CODES;
  /** The rows whose columns say something else than their bodies, as their bodies say it. */
  readonly differing: PutRow[] = [];
  #ofTwoOwners: StoredRow | undefined;
  readonly #positions: readonly number[];
  readonly #keys: RecordKey[];
  /** As the column has them. */
  readonly #statuses: (string | number | null)[];
  #owners: (string | null | undefined)[];
  /** Ids by position, of the rows whose body does not begin with the id. */
  readonly #ids: ReadonlyMap<number, string>;
  /**
   * All bodies. A record's text is a part of this text and takes no memory of its own. One byte
   * is one character here, so bodies with letters outside ASCII are wrong; `#others` has them.
   */
  readonly #text: string;
  /** Where each body begins in it, and where the last one ends. */
  readonly #starts: Int32Array;
  readonly #others = new Map<number, string>();

  /** Throws, naming the row, where one is of no collection or its body is no record. */
  constructor(page: FilePage) {
    const bytes = Buffer.from(page.bodies);
    this.#text = bytes.toString('latin1');
    this.#positions = JSON.parse(page.positions);
    this.#owners = JSON.parse(page.owners);
    this.#statuses = JSON.parse(page.statuses);
    this.#ids = new Map(JSON.parse(page.ids));
    this.length = this.#positions.length;
    this.#starts = startsOf(JSON.parse(page.lengths));
    if (!isAscii(bytes)) this.#decodeOthers(bytes);
    this.collections = this.#codesOf(JSON.parse(page.collections));
    for (const position of JSON.parse(page.invalid)) {
      storedFacts(this.#row(this.#positions.indexOf(position)));
    }
    this.#keys = new Array(this.length);
    for (let place = 0; place < this.length; place++) {
      this.#keys[place] = this.#plainKey(place, bytes) ?? this.#parsedKey(place);
    }
  }

  /** Throws, naming the row, where one has another owner in its body than in its column. */
  expectOneOwner(): this {
    if (this.#ofTwoOwners !== undefined) throw ofTwoOwners(this.#ofTwoOwners);
    return this;
  }

  *[Symbol.iterator](): Generator<StoredRow> {
    for (let place = 0; place < this.length; place++) yield this.#row(place);
  }

  takeOwners(): readonly (string | null | undefined)[] {
    const owners = this.#owners;
    this.#owners = [];
    return owners;
  }

  positionOf(place: number): number {
    return this.#positions[place] ?? 0;
  }

  keyOf(place: number): RecordKey {
    return this.#keys[place] ?? '';
  }

  recordOf(place: number): RecordText {
    const status = statusOfColumn(this.#statuses[place] ?? null);
    return { text: this.#body(place), status };
  }

  bytesOf(place: number): number {
    return (this.#starts[place + 1] ?? 0) - (this.#starts[place] ?? 0);
  }

  /**
   * The key of a row whose body begins as this program writes it, with the owner of the column.
   * Undefined for another one: it must be parsed, which takes several times longer.
   */
  #plainKey(place: number, bytes: Uint8Array): RecordKey | undefined {
    const owner = this.#owners[place];
    const [start, end] = [this.#starts[place] ?? 0, this.#starts[place + 1] ?? 0];
    if (typeof owner !== 'string' || bytes[end - 1] !== BODY_END) return undefined;
    if (!isAt(bytes, start, BEFORE_ID)) return undefined;
    const idStart = start + BEFORE_ID.length;
    const idEnd = plainEnd(bytes, idStart);
    if (!isAt(bytes, idEnd, BEFORE_OWNER)) return undefined;
    const ownerStart = idEnd + BEFORE_OWNER.length;
    if (!isTextAt(bytes, ownerStart, owner) || ownerStart + owner.length >= end) return undefined;
    return keyOf(this.collectionOf(place), this.#text.slice(idStart, idEnd));
  }

  /** The body is the truth, also where its id is not that of the column. */
  #parsedKey(place: number): RecordKey {
    const row = this.#row(place);
    const { owner, id, status } = storedFacts(row);
    const isOfOwner = ownerColumn(owner) === this.#owners[place];
    if (!isOfOwner) this.#ofTwoOwners ??= row;
    if (!isOfOwner || statusColumn(status) !== this.#statuses[place]) {
      this.differing.push({ ...row, owner, status });
    }
    this.#owners[place] = owner;
    this.#statuses[place] = statusColumn(status);
    return keyOf(row.collection, id);
  }

  #row(place: number): StoredRow {
    const [position, collection] = [this.positionOf(place), this.collectionOf(place)];
    const body = this.#body(place);
    const ofBody = () => body.slice(BEFORE_ID.length, body.indexOf('"', BEFORE_ID.length));
    return { position, collection, id: this.#ids.get(position) ?? ofBody(), body };
  }

  #body(place: number): string {
    const other = this.#others.get(place);
    return other ?? this.#text.slice(this.#starts[place], this.#starts[place + 1]);
  }

  collectionOf(place: number): CollectionName {
    return COLLECTION_NAMES[this.collections[place] ?? 0] as CollectionName;
  }

  #decodeOthers(bytes: Buffer): void {
    for (let place = 0; place < this.length; place++) {
      const body = bytes.subarray(this.#starts[place], this.#starts[place + 1]);
      if (!isAscii(body)) this.#others.set(place, body.toString());
    }
  }

  /** A text in place of a code is no collection's name. */
  #codesOf(codes: readonly (number | string)[]): Uint8Array {
    for (const [place, code] of codes.entries()) {
      if (typeof code === 'number') continue;
      throw ofNoCollection({ ...this.#row(place), collection: code as CollectionName });
    }
    return Uint8Array.from(codes as readonly number[]);
  }
}

function startsOf(lengths: readonly number[]): Int32Array {
  const starts = new Int32Array(lengths.length + 1);
  // By index here and below: an iterator takes twice as long.
  for (let i = 0; i < lengths.length; i++) starts[i + 1] = (starts[i] ?? 0) + (lengths[i] ?? 0);
  return starts;
}

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}

/** Where the plain characters end that begin here. */
function plainEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isPlain(bytes[at] ?? 0)) at++;
  return at;
}

/** Whether a JSON text of plain characters begins here, and is this one. */
function isTextAt(bytes: Uint8Array, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isPlain(code) || bytes[start + i] !== code) return false;
  }
  return bytes[start + text.length] === QUOTE;
}

/** Whether it is one byte and stands in a JSON text for itself. */
function isPlain(code: number): boolean {
  return code >= SPACE && code <= ASCII_MAX && code !== QUOTE && code !== BACKSLASH;
}
