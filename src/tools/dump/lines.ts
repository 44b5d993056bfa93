// The lines of a dump, as values. A dump is NDJSON: a head, the records grouped by account and
// oldest first in each, the audit events, the totals, and the digest of all lines before it.

import type { Sequences } from '../../core/records/record-storage.js';
import {
  AccountDigest,
  type DumpedRow,
  rowName,
  rowProblem,
  sha256,
} from '../../storage/dump/dumped-rows.js';

export const FORMAT = 'service-management dump';
export const FORMAT_VERSION = 1;

/** `service`: read over the administration API, which shows neither times nor highest numbers. */
export type SourceKind = 'file' | 'postgres' | 'workers' | 'service';

export interface Head {
  readonly dump: typeof FORMAT;
  readonly version: number;
  readonly release: string;
  /** RFC 3339, UTC. */
  readonly made: string;
  readonly source: SourceKind;
  /** The one account that was dumped; null for all. */
  readonly account: string | null;
}

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

/** From Workers, after the account's records: each account has highest numbers of its own. */
export interface AccountLine {
  readonly account: string;
  readonly highest: Sequences;
}

export type ContentLine = RecordLine | EventLine | AccountLine;

export interface TotalsLine {
  readonly records: number;
  readonly events: number;
  /** Of each collection, the highest number that an id was ever given. */
  readonly highest: Sequences;
  /** Equal for two storages with the same records, times, order and audit events. */
  readonly contents: string;
}

export interface DumpSource {
  readonly kind: SourceKind;
  /** Records before events. Throws, with a sentence, if the account is unknown. */
  lines(account: string | undefined): AsyncIterable<ContentLine>;
  /** Once all lines were read: the highest numbers that ids were ever given. */
  highest(): Sequences;
  /** Once all lines were read: what the operator should know about the dump. */
  remarks(): readonly string[];
  close(): Promise<void>;
}

export function isRecord(line: object): line is RecordLine {
  return 'body' in line;
}

export function isEvent(line: object): line is EventLine {
  return 'event' in line;
}

export function rowOf({ collection, id, body, created_at, updated_at }: RecordLine): DumpedRow {
  return [collection, id, body, created_at, updated_at];
}

/** Throws an error that names the record if no storage could serve it. */
export function expectUsable(line: RecordLine): void {
  const row = rowOf(line);
  const problem = rowProblem(row, line.owner ?? undefined);
  if (problem !== undefined) throw new Error(`the record ${rowName(row)} ${problem}`);
}

const MODULUS = 2n ** 256n;

/** Sums over lines in any order of accounts and events: `TotalsLine` without its highest numbers. */
export class Contents {
  #owner: string | null | undefined;
  #account = new AccountDigest();
  #sum = 0n;
  #records = 0;
  #events = 0;

  /** Await each call before the next one. */
  async add(line: ContentLine): Promise<void> {
    if (isEvent(line)) {
      this.#events++;
      await this.#addTo(line.event);
    } else if (isRecord(line)) {
      if (line.owner !== this.#owner) await this.#endAccount();
      this.#owner = line.owner;
      this.#records++;
      await this.#account.add(rowOf(line));
    }
  }

  async totals(): Promise<Omit<TotalsLine, 'highest'>> {
    await this.#endAccount();
    const contents = this.#sum.toString(16).padStart(64, '0');
    return { records: this.#records, events: this.#events, contents };
  }

  async #endAccount(): Promise<void> {
    const { records, digest } = await this.#account.contents();
    if (records > 0) await this.#addTo(JSON.stringify([this.#owner, digest]));
    this.#account = new AccountDigest();
  }

  /** A sum, not an XOR: two equal events must not cancel each other out. */
  async #addTo(text: string): Promise<void> {
    this.#sum = (this.#sum + BigInt(`0x${await sha256(text)}`)) % MODULUS;
  }
}
