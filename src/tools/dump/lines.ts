// A dump is NDJSON: a head, the records by account and oldest first in each, the audit events, the
// totals, and the digest of all lines before it.

import { hash } from 'node:crypto';
import { byCollection, type CollectionName } from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import { objectIn } from '../../core/json-line.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import type { DumpedRow } from '../../storage/dump/dumped-rows.js';
import { CommandError } from '../data/failures.js';

/** `service`: read over the administration API, which shows neither times nor highest numbers. */
export type SourceKind = 'file' | 'postgres' | 'workers' | 'service';

/** Times: milliseconds since 1970, UTC. */
export interface RecordLine {
  readonly collection: DumpedRow[0];
  readonly id: string;
  /** Null for a row that belongs to no account. */
  readonly owner: string | null;
  /** Order of creation within the account. */
  readonly position: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** The record's own text: JSON.parse would lose digits of long numbers. */
  readonly body: string;
}

export interface EventLine {
  readonly id: number;
  /** Empty for an event that belongs to no account. */
  readonly owner: string;
  /** From Workers: owner, epoch and number, as JSON. */
  readonly name?: string | null;
  /** JSON text. */
  readonly event: string;
}

/** The highest numbers that ids were ever given: of one account on Workers, else (null) of all. */
export interface HighestLine {
  readonly account: string | null;
  readonly highest: Sequences;
}

export type ContentLine = RecordLine | EventLine | HighestLine;

/** The first line. */
export interface Head {
  readonly dump: string;
  readonly version: number;
  readonly release: string;
  /** RFC 3339, UTC. */
  readonly made: string;
  readonly source: SourceKind;
  /** The one account that was dumped; null for all. */
  readonly account: string | null;
}

/** The last line but one. */
export interface Totals {
  readonly records: number;
  readonly events: number;
  /** Equal for two storages with the same records, times, order and audit events. */
  readonly contents: string;
  readonly highest: Sequences;
}

/** The last line: of all lines before it. It names the dump. */
export interface Digest {
  readonly sha256: string;
}

export interface DumpSource {
  readonly kind: SourceKind;
  /** What the operator should know about the dump, once all lines were read. */
  readonly remarks?: readonly string[];
  /** The records of an account stand together. Undefined: all accounts. */
  lines(account?: string): AsyncIterable<ContentLine>;
}

export const isRecord = (line: object): line is RecordLine => 'body' in line;
export const isEvent = (line: object): line is EventLine => 'event' in line;

export const ownerOf = (line: ContentLine) => ('account' in line ? line.account : line.owner);

/** Of a row in a database. Its text is the truth: a column cannot hold every subject. */
export function recordLine(row: Readonly<Record<string, unknown>>): RecordLine {
  const [position, body] = [Number(row['position']), String(row['body'])];
  const collection = String(row['collection']) as CollectionName;
  const { id, owner = null } = storedFacts({ position, collection, id: String(row['id']), body });
  const [created_at, updated_at] = [Number(row['created_at']), Number(row['updated_at'])];
  return { collection, id, owner, position, created_at, updated_at, body };
}

export function rowOf({ collection, id, body, created_at, updated_at }: RecordLine): DumpedRow {
  return [collection, id, body, created_at, updated_at];
}

/** Throws if the text is not an audit event. */
export function eventLine(id: number, event: string): EventLine {
  const { owner_sub: owner, timestamp } = (objectIn(event) ?? {}) as Record<string, unknown>;
  if (typeof owner === 'string' && typeof timestamp === 'string') return { id, owner, event };
  throw new CommandError(`the audit event ${id} cannot be read; restore a backup`);
}

const BATCH_LINES = 1_000;
const BATCH_CHARACTERS = 1_000_000;

/** Lines of one kind and account, for one statement or call; a longer line is alone. */
export async function* batchesOf(lines: AsyncIterable<ContentLine>) {
  const groupOf = (line: ContentLine) => (isEvent(line) ? '' : [isRecord(line), ownerOf(line)]);
  let batch: ContentLine[] = [];
  let characters = 0;
  let group = '';
  for await (const line of lines) {
    const more = isRecord(line) ? line.body.length : isEvent(line) ? line.event.length : 0;
    const next = JSON.stringify(groupOf(line));
    const isFull = batch.length === BATCH_LINES || characters + more > BATCH_CHARACTERS;
    if (batch.length > 0 && (isFull || next !== group)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(line);
    [characters, group] = [characters + more, next];
  }
  if (batch.length > 0) yield batch;
}

const MODULUS = 2n ** 256n;

/** Sums over lines in any order of accounts and events. */
export class Contents {
  readonly #highest = byCollection(() => 0);
  /** The number of records of this account by collection: their order is a part of the digest. */
  #orders = byCollection(() => 0);
  #owner: string | null = null;
  #sum = 0n;
  #records = 0;
  #events = 0;

  static async of(lines: AsyncIterable<ContentLine>): Promise<Totals> {
    const contents = new Contents();
    for await (const line of lines) contents.add(line);
    return contents.totals;
  }

  add(line: ContentLine): void {
    if (isEvent(line)) {
      this.#events++;
      this.#addTo(line.event);
    } else if (isRecord(line)) {
      const { collection, id, owner, created_at, updated_at, body } = line;
      if (owner !== this.#owner) this.#orders = byCollection(() => 0);
      this.#owner = owner;
      this.#records++;
      this.#raise({ [collection]: sequenceOf(collection, id) });
      const order = this.#orders[collection]++;
      this.#addTo(JSON.stringify([owner, collection, order, id, created_at, updated_at, body]));
    } else this.#raise(line.highest);
  }

  get totals(): Totals {
    const given = Object.entries(this.#highest).filter(([, highest]) => highest > 0);
    return {
      records: this.#records,
      events: this.#events,
      contents: this.#sum.toString(16).padStart(64, '0'),
      highest: Object.fromEntries(given),
    };
  }

  /** A sum, not an XOR: two equal events must not cancel each other out. */
  #addTo(text: string): void {
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', text)}`)) % MODULUS;
  }

  #raise(highest: Sequences): void {
    for (const [name, number] of Object.entries(highest)) {
      const collection = name as CollectionName;
      this.#highest[collection] = Math.max(this.#highest[collection], number);
    }
  }
}
