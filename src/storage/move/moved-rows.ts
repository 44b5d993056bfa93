// An account's records on their way between two storages: the form in which they
// travel, the size of a piece, and the digest by which both ends know that they hold
// the same. Runs on every host.

import { type CollectionName, isCollectionName } from '../../core/domain/collection-name.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { utf8Length } from '../../core/records/utf8-length.js';

/** Times: milliseconds since 1970, UTC. Rows travel in the order of their creation. */
export type MovedRow = readonly [
  collection: CollectionName,
  id: string,
  body: string,
  createdAt: number,
  updatedAt: number,
];

/** By which two storages know that they hold the same records in the same order. */
export interface AccountContents {
  readonly records: number;
  /** UTF-8 bytes of the bodies. */
  readonly bytes: number;
  /** Of all rows in their order, hexadecimal. */
  readonly digest: string;
}

/** An account as the place that it comes from announces it. */
export interface AnnouncedAccount extends AccountContents {
  /** The highest numbers that ids were ever given. */
  readonly sequences: Sequences;
}

/** A record that is longer than a piece travels alone. */
export const PIECE_MAX_ROWS = 1_000;
export const PIECE_MAX_CHARACTERS = 1_000_000;

/** Cuts rows into pieces, each within the limits, none empty. */
export function* piecesOf<Row>(
  rows: Iterable<Row>,
  charactersOf: (row: Row) => number,
): Generator<Row[]> {
  const cutter = new PieceCutter(charactersOf);
  for (const row of rows) yield* cutter.add(row);
  yield* cutter.end();
}

/** The same of rows that come one by one. */
export async function* piecesOfStream<Row>(
  rows: AsyncIterable<Row>,
  charactersOf: (row: Row) => number,
): AsyncGenerator<Row[]> {
  const cutter = new PieceCutter(charactersOf);
  for await (const row of rows) yield* cutter.add(row);
  yield* cutter.end();
}

class PieceCutter<Row> {
  readonly #charactersOf: (row: Row) => number;
  #piece: Row[] = [];
  #characters = 0;

  constructor(charactersOf: (row: Row) => number) {
    this.#charactersOf = charactersOf;
  }

  /** Gives the piece before the row, if the row does not fit into it. */
  *add(row: Row): Generator<Row[]> {
    const more = this.#charactersOf(row);
    const isTooMuch = this.#characters + more > PIECE_MAX_CHARACTERS;
    if (this.#piece.length >= PIECE_MAX_ROWS || isTooMuch) yield* this.end();
    this.#piece.push(row);
    this.#characters += more;
  }

  /** Gives the last piece. */
  *end(): Generator<Row[]> {
    if (this.#piece.length > 0) yield this.#piece;
    this.#piece = [];
    this.#characters = 0;
  }
}

export function charactersOf([, , body]: MovedRow): number {
  return body.length;
}

/** Both ends must cut at the same rows, so these are part of the digest's definition. */
const FOLD_ROWS = 1_000;
const FOLD_CHARACTERS = 1_000_000;

/** A chain of SHA-256: each link is of the one before it and the next rows. */
export class ContentsDigest {
  #chain = '';
  #texts: string[] = [];
  #characters = 0;
  #records = 0;
  #bytes = 0;

  /** Each call is awaited before the next one. */
  async add([collection, id, body, createdAt, updatedAt]: MovedRow): Promise<void> {
    // The lengths keep two rows from reading as one.
    const facts = JSON.stringify([collection, id, createdAt, updatedAt, body.length]);
    this.#texts.push(facts, body);
    this.#characters += body.length;
    this.#records++;
    this.#bytes += utf8Length(body);
    const isFull = this.#texts.length >= 2 * FOLD_ROWS || this.#characters >= FOLD_CHARACTERS;
    if (isFull) await this.#fold();
  }

  async contents(): Promise<AccountContents> {
    if (this.#texts.length > 0 || this.#chain === '') await this.#fold();
    return { records: this.#records, bytes: this.#bytes, digest: this.#chain };
  }

  async #fold(): Promise<void> {
    this.#chain = await sha256([this.#chain, ...this.#texts].join('\n'));
    this.#texts = [];
    this.#characters = 0;
  }
}

export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Why a row cannot be a record of the account, as part of a sentence; undefined where it
 * can. What is found here would keep a service from starting, or show the record to another account.
 */
export function rowProblem(row: MovedRow, owner: string, bodyMaxBytes: number): string | undefined {
  const [collection, id, body, createdAt, updatedAt] = row;
  if (!isCollectionName(collection)) return `is of no collection (${JSON.stringify(collection)})`;
  const times = [createdAt, updatedAt];
  if (!times.every((time) => Number.isSafeInteger(time) && time >= 0)) return 'has no usable time';
  const bytes = utf8Length(body);
  if (bytes > bodyMaxBytes) return `has ${bytes} bytes; it may have ${bodyMaxBytes}`;
  try {
    const facts = storedFacts({ position: 0, collection, id, body });
    if (facts.owner !== owner) return 'belongs to another account';
    if (facts.id !== id) return `has another id in its text (${JSON.stringify(facts.id)})`;
  } catch {
    return 'is not a JSON object';
  }
  return undefined;
}

/** Names a row in a sentence without quoting its text. */
export function rowName([collection, id]: MovedRow): string {
  return `${collection} ${id}`;
}
