// The rows of a page of the file: their bodies in one text, and the places where to cut it.

import { COLLECTION_NAMES, type CollectionName } from '../../domain/collection-name.js';
import { sequenceOf } from '../../domain/identifier.js';
import type { DeferredRows, JournalRow } from '../../records/journal.js';
import { ofNoCollection, storedFacts } from '../../records/stored-facts.js';
import { BodyScan } from './body-scan.js';
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
  readonly #places: Int32Array;
  /** The rows whose body is not taken from `#text`. */
  readonly #others = new Map<number, JournalRow>();

  constructor(page: FilePage) {
    const bytes = Buffer.from(page.bodies);
    this.#text = bytes.toString('latin1');
    this.#positions = JSON.parse(page.positions);
    this.#collections = JSON.parse(page.collections);
    this.#ids = new Map(JSON.parse(page.ids));
    this.length = this.#positions.length;
    this.lastPosition = this.#positions.at(-1) ?? 0;
    this.#places = new Int32Array((this.length + 1) * PLACES);
    this.#findPlaces(bytes, JSON.parse(page.lengths));
  }

  *[Symbol.iterator](): Generator<JournalRow> {
    for (let place = 0; place < this.length; place++) yield this.row(place);
  }

  ownerOf(place: number): string | undefined {
    const other = this.#others.get(place);
    if (other === undefined) return this.#part(place, OWNER, OWNER_END);
    const facts = storedFacts(other);
    // If column and body differ, the body's id counts.
    this.#others.set(place, { ...other, facts });
    return facts.owner;
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

  sequenceOf(place: number): number {
    const other = this.#others.get(place);
    const id = other === undefined ? this.#part(place, ID, ID_END) : storedFacts(other).id;
    return sequenceOf(this.collectionOf(place), id);
  }

  #findPlaces(bytes: Buffer, lengths: readonly number[]): void {
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
