// An account's records on their way between two storages: their form, the size of a piece, and the
// digest that tells both ends that they hold the same. Runs on every host.

import { type CollectionName, isCollectionName } from '../../core/domain/collection-name.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { utf8Length } from '../../core/records/utf8-length.js';

/** Times: milliseconds since 1970, UTC. Rows travel oldest first. */
export type DumpedRow = readonly [
  collection: CollectionName,
  id: string,
  body: string,
  createdAt: number,
  updatedAt: number,
];

export interface AccountContents {
  readonly records: number;
  /** Of all rows, in the order of each collection; hexadecimal. */
  readonly digest: string;
}

/** A larger record travels alone. */
export const PIECE_MAX_ROWS = 1_000;
export const PIECE_MAX_CHARACTERS = 1_000_000;

/** Cuts rows into pieces within the limits, none empty. */
export function* piecesOf<Row>(
  rows: Iterable<Row>,
  charactersOf: (row: Row) => number,
): Generator<Row[]> {
  let piece: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    const more = charactersOf(row);
    const isTooMuch = characters + more > PIECE_MAX_CHARACTERS;
    if (piece.length >= PIECE_MAX_ROWS || (isTooMuch && piece.length > 0)) {
      yield piece;
      piece = [];
      characters = 0;
    }
    piece.push(row);
    characters += more;
  }
  if (piece.length > 0) yield piece;
}

/** Part of the digest's definition: both ends must hash the same rows together. */
const FOLD_ROWS = 1_000;
const FOLD_CHARACTERS = 1_000_000;

interface Chain {
  link: string;
  texts: string[];
  characters: number;
}

/**
 * Of each collection a chain of SHA-256: each link is of the one before it and the next rows. The
 * order of records of different collections isn't part of it, because not every storage keeps it.
 */
export class AccountDigest {
  readonly #chains = new Map<string, Chain>();
  #records = 0;

  /** Await each call before the next one. */
  async add([collection, id, body, createdAt, updatedAt]: DumpedRow): Promise<void> {
    const chain = this.#chains.get(collection) ?? { link: collection, texts: [], characters: 0 };
    this.#chains.set(collection, chain);
    this.#records++;
    // The length keeps two rows from reading as one.
    chain.texts.push(JSON.stringify([id, createdAt, updatedAt, body.length]), body);
    chain.characters += body.length;
    const isFull = chain.texts.length >= 2 * FOLD_ROWS || chain.characters >= FOLD_CHARACTERS;
    if (isFull) await fold(chain);
  }

  async contents(): Promise<AccountContents> {
    for (const chain of this.#chains.values()) if (chain.texts.length > 0) await fold(chain);
    const links = [...this.#chains.values()].map(({ link }) => link).sort();
    return { records: this.#records, digest: await sha256(links.join()) };
  }
}

async function fold(chain: Chain): Promise<void> {
  chain.link = await sha256([chain.link, ...chain.texts].join('\n'));
  chain.texts = [];
  chain.characters = 0;
}

/** Hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Why a row can't be a record of the account, as a sentence without its text; undefined if it can.
 * Such a row would keep a service from starting, or show a record to another account. `owner`:
 * undefined for a row that belongs to no account.
 */
export function rowProblem(
  [collection, id, body, createdAt, updatedAt]: DumpedRow,
  owner: string | undefined,
  maxBytes = Infinity,
): string | undefined {
  const problem = (what: string) => `the record ${collection} ${id} ${what}`;
  if (!isCollectionName(collection)) return problem('has an unknown collection');
  const times = [createdAt, updatedAt];
  if (!times.every((time) => Number.isSafeInteger(time) && time >= 0)) {
    return problem('has no usable time');
  }
  const bytes = utf8Length(body);
  if (bytes > maxBytes) return problem(`has ${bytes} bytes; the limit is ${maxBytes}`);
  try {
    const facts = storedFacts({ position: 0, collection, id, body });
    if (facts.owner !== owner) return problem('belongs to another account');
    if (facts.id === id) return undefined;
    return problem(`has another id in its text (${JSON.stringify(facts.id)})`);
  } catch {
    return problem('is not a JSON object');
  }
}
