// The rows of a page of the file: their bodies in one text, and the places where to cut it.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import type {
  DeferredRows,
  JournalRow,
  PageSummary,
  RowFacts,
} from '../../core/records/journal.js';
import { ofNoCollection, storedFacts } from '../../core/records/stored-facts.js';
import { BodyScan } from './body-scan.js';
import { OwnerNumbers } from './owner-numbers.js';
import type { FilePage } from './record-pages.js';

const ID_START = '{"id":"'.length;
/** Of a row in `#places`: where its body, id, owner and status begin, and where the last three end. */
const [BODY, ID, ID_END, OWNER, OWNER_END, STATUS, STATUS_END, PLACES] = [0, 1, 2, 3, 4, 5, 6, 7];

export class FileRows implements DeferredRows {
  readonly length: number;
  readonly lastPosition: number;
  readonly #positions: readonly number[];
  /** For each row: the collection's place in the list of names, or a text that is no collection's name. */
  readonly #collections: readonly (number | string)[];
  /** Ids by position, of the rows whose body does not begin with the id. */
  readonly #ids: ReadonlyMap<number, string>;
  /**
   * All bodies. A record's text is a part of this text and takes no memory of its own. One byte
   * is one character here, so bodies with letters outside ASCII are wrong; `#others` has them.
   */
  readonly #text: string;
  /** The same as bytes, until the page is summed up. */
  #bytes: Buffer;
  readonly #places: Int32Array;
  readonly #owners: OwnerNumbers;
  /** The rows whose body is not taken from `#text`. */
  readonly #others = new Map<number, JournalRow>();

  /** `owners`: of all pages of a load. */
  constructor(page: FilePage, owners = new OwnerNumbers()) {
    this.#owners = owners;
    this.#bytes = Buffer.from(page.bodies);
    this.#text = this.#bytes.toString('latin1');
    this.#positions = JSON.parse(page.positions);
    this.#collections = JSON.parse(page.collections);
    this.#ids = new Map(JSON.parse(page.ids));
    this.length = this.#positions.length;
    this.lastPosition = this.#positions.at(-1) ?? 0;
    this.#places = new Int32Array((this.length + 1) * PLACES);
    this.#findPlaces(JSON.parse(page.lengths));
  }

  *[Symbol.iterator](): Generator<JournalRow> {
    for (let place = 0; place < this.length; place++) yield this.row(place);
  }

  summary(): PageSummary {
    const owners = new Uint32Array(this.length);
    const collections = byCollection(() => ({ records: 0, highest: 0 }));
    const highestIds = new HighestIds(this.#bytes);
    // From the end on: the last id is usually the highest, and then no other is read as a number.
    for (let place = this.length - 1; place >= 0; place--) {
      const collection = this.collectionOf(place);
      const counted = collections[collection];
      counted.records++;
      const other = this.#others.get(place);
      if (other !== undefined) {
        const { owner, id } = this.#parsed(place, other);
        owners[place] = this.#owners.ofText(owner);
        counted.highest = Math.max(counted.highest, sequenceOf(collection, id));
        continue;
      }
      const at = place * PLACES;
      const [start, end] = [this.#places[at + OWNER] ?? 0, this.#places[at + OWNER_END] ?? 0];
      owners[place] = this.#owners.of(this.#bytes, start, end);
      const [idStart, idEnd] = [this.#places[at + ID] ?? 0, this.#places[at + ID_END] ?? 0];
      const code = Number(this.#collections[place]);
      if (!highestIds.mayBeExceededBy(code, idStart, idEnd)) continue;
      const sequence = sequenceOf(collection, this.#part(place, ID, ID_END));
      if (sequence <= counted.highest) continue;
      counted.highest = sequence;
      highestIds.set(code, idStart, idEnd);
    }
    this.#bytes = NO_BYTES;
    return { owners, collections };
  }

  ownerNamed(number: number): string | undefined {
    return this.#owners.nameOf(number);
  }

  row(place: number): JournalRow {
    const other = this.#others.get(place);
    if (other !== undefined) return other;
    const facts = {
      id: this.#part(place, ID, ID_END),
      owner: this.#part(place, OWNER, OWNER_END),
      status: this.#hasStatus(place) ? this.#part(place, STATUS, STATUS_END) : undefined,
    };
    // The next row's body begins at the end of this one.
    const body = this.#part(place, BODY, BODY + PLACES);
    return { ...this.#key(place), id: facts.id, body, facts };
  }

  collectionOf(place: number): CollectionName {
    const name = this.#nameOf(place);
    if (name === undefined) throw ofNoCollection(this.row(place));
    return name;
  }

  /** The facts of a row whose body is parsed for them. */
  #parsed(place: number, other: JournalRow): RowFacts {
    const facts = storedFacts(other);
    // The body's id is the one that counts.
    this.#others.set(place, { ...other, facts });
    return facts;
  }

  #findPlaces(lengths: readonly number[]): void {
    const bytes = this.#bytes;
    const scan = new BodyScan(bytes);
    const { id, owner, status } = scan;
    let start = 0;
    for (let place = 0; place < this.length; place++) {
      const end = start + (lengths[place] ?? 0);
      const at = place * PLACES;
      this.#places[at + BODY] = start;
      if (scan.finds(start, end) && scan.isAscii) {
        this.#places[at + ID] = id.start;
        this.#places[at + ID_END] = id.end;
        this.#places[at + OWNER] = owner.start;
        this.#places[at + OWNER_END] = owner.end;
        this.#places[at + STATUS] = status.start;
        this.#places[at + STATUS_END] = status.end;
      } else {
        const body = bytes.toString('utf8', start, end);
        const key = this.#key(place);
        const ofBody = () => body.slice(ID_START, body.indexOf('"', ID_START));
        this.#others.set(place, { ...key, id: this.#ids.get(key.position) ?? ofBody(), body });
      }
      start = end;
    }
    this.#places[this.length * PLACES + BODY] = start;
  }

  #hasStatus(place: number): boolean {
    return this.#places[place * PLACES + STATUS] !== -1;
  }

  #part(place: number, from: number, to: number): string {
    const at = place * PLACES;
    return this.#text.slice(this.#places[at + from], this.#places[at + to]);
  }

  #key(place: number) {
    // A text here is no collection's name. The records refuse it with a message that names it.
    const collection = this.#nameOf(place) ?? (this.#collections[place] as CollectionName);
    return { position: this.#positions[place] ?? 0, collection };
  }

  #nameOf(place: number): CollectionName | undefined {
    const code = this.#collections[place];
    return typeof code === 'number' ? COLLECTION_NAMES[code] : undefined;
  }
}

const NO_BYTES = Buffer.alloc(0);

/** Where the highest id of each collection so far stands in the bytes. */
class HighestIds {
  readonly #bytes: Uint8Array;
  readonly #starts = new Int32Array(COLLECTION_NAMES.length);
  /** 0 where there is none yet. */
  readonly #ends = new Int32Array(COLLECTION_NAMES.length);

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  set(code: number, start: number, end: number): void {
    this.#starts[code] = start;
    this.#ends[code] = end;
  }

  /** False for an id of the same length that comes before it: prefix and digits are then lower, too, or it is of another form. */
  mayBeExceededBy(code: number, start: number, end: number): boolean {
    let at = this.#starts[code] ?? 0;
    if ((this.#ends[code] ?? 0) - at !== end - start) return true;
    for (let i = start; i < end; i++, at++) {
      const difference = (this.#bytes[i] ?? 0) - (this.#bytes[at] ?? 0);
      if (difference !== 0) return difference > 0;
    }
    return false;
  }
}
