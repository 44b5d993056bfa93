// A dump is NDJSON: a head, the records by account and oldest first in each, the audit events, the
// totals, and the digest of all lines before it.

import { createHash, hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import { objectIn } from '../../core/json-line.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { isThere, nameAgain } from '../../storage/backup/file-copy.js';
import { type DumpedRow, rowName, rowProblem } from '../../storage/dump/dumped-rows.js';
import { CommandError } from '../data/failures.js';

const FORMAT = { dump: 'service-management dump', version: 1 };
const OWNER_ONLY = 0o600;
const PIECE_BYTES = 1_048_576;
const MODULUS = 2n ** 256n;

/** `position`: order of creation within the account. Times: milliseconds since 1970, UTC. */
export interface RecordLine {
  readonly collection: CollectionName;
  readonly id: string;
  /** Null for a row that belongs to no account. */
  readonly owner: string | null;
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

/** The first line. `made`: RFC 3339, UTC. `account`: the only one that was dumped; null for all. */
export interface Head {
  readonly release: string;
  readonly made: string;
  readonly source: string;
  readonly account: string | null;
}

/** In the last two lines; `sha256` is of all lines before the last one, and names the dump. */
export interface End extends Pick<Contents, 'records' | 'events' | 'contents' | 'highest'> {
  readonly sha256: string;
}

export const isRecord = (line: object): line is RecordLine => 'body' in line;
export const isEvent = (line: object): line is EventLine => 'event' in line;

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

/** Throws an error that names the record if no host could serve it. */
export function expectUsable(line: RecordLine): void {
  const problem = rowProblem(rowOf(line), line.owner ?? undefined);
  if (problem !== undefined) throw new Error(`the record ${rowName(rowOf(line))} ${problem}`);
}

/** Sums over lines in any order of accounts and events. */
export class Contents {
  records = 0;
  events = 0;
  readonly highest: Partial<Record<CollectionName, number>> = {};
  /** By collection and account: the order of its records is a part of the digest. */
  readonly #orders = new Map<string, number>();
  #sum = 0n;

  /** Equal for two hosts with the same records, times, orders and audit events. */
  get contents(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }

  add(line: ContentLine): void {
    if (isEvent(line)) {
      this.events++;
      this.#addTo(line.event);
    } else if (isRecord(line)) {
      const { collection, id, owner, created_at, updated_at, body } = line;
      const order = this.#orders.get(`${collection} ${owner}`) ?? 0;
      this.#orders.set(`${collection} ${owner}`, order + 1);
      this.records++;
      this.#raise(collection, sequenceOf(collection, id));
      this.#addTo(JSON.stringify([owner, collection, order, id, created_at, updated_at, body]));
    } else {
      for (const [name, number] of Object.entries(line.highest)) {
        this.#raise(name as CollectionName, number);
      }
    }
  }

  /** A sum, not an XOR: two equal events must not cancel each other out. */
  #addTo(text: string): void {
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', text)}`)) % MODULUS;
  }

  #raise(collection: CollectionName, number: number): void {
    if (number > (this.highest[collection] ?? 0)) this.highest[collection] = number;
  }
}

/** Resolves when the file is whole, on disk, and has its name. Rejects if there is one already. */
export async function writeDump(
  path: string,
  head: Head,
  lines: AsyncIterable<ContentLine>,
): Promise<Contents> {
  if (await isThere(path)) throw new CommandError(`${path} already exists; name a new file`);
  const sums = new Contents();
  async function* texts() {
    const digest = createHash('sha256');
    const textOf = (line: object) => {
      const text = `${JSON.stringify(line)}\n`;
      digest.update(text);
      return text;
    };
    yield textOf({ ...FORMAT, ...head });
    for await (const line of lines) {
      if (head.account !== null && 'owner' in line && line.owner !== head.account) continue;
      if (isRecord(line)) expectUsable(line);
      sums.add(line);
      yield textOf(line);
    }
    const { records, events, contents, highest } = sums;
    if (head.account !== null && records + events === 0) {
      throw new CommandError(`there is no account ${JSON.stringify(head.account)}`);
    }
    yield textOf({ records, events, contents, highest });
    yield `${JSON.stringify({ sha256: digest.digest('hex') })}\n`;
  }
  const part = `${path}.part`;
  const how = { flags: 'wx', mode: OWNER_ONLY, flush: true, highWaterMark: PIECE_BYTES };
  await rm(part, { force: true });
  try {
    await pipeline(texts, createWriteStream(part, how));
    await nameAgain(part, path);
  } finally {
    await rm(part, { force: true });
  }
  return sums;
}

/** Every line of a dump. Rejects, at the latest at its end, if it was cut or changed. */
export async function* readDump(path: string): AsyncGenerator<ContentLine | (Head & End), void> {
  const digest = createHash('sha256');
  let [before, line]: [string, Partial<typeof FORMAT & End>] = ['', {}];
  for await (const text of textsOf(path)) {
    line = objectIn(text) ?? {};
    if (before === '' && (line.dump !== FORMAT.dump || line.version !== FORMAT.version)) {
      throw new CommandError(`${path} is not a dump of version ${FORMAT.version} of the format`);
    }
    digest.update(before);
    before = `${text}\n`;
    yield line as ContentLine | (Head & End);
  }
  if (line.sha256 === digest.digest('hex')) return;
  throw new CommandError(
    `${path} was cut or changed: its digest does not match; nothing was loaded, use another copy of the dump`,
  );
}

/** Not `readline`: it takes U+2028 for the end of a line. */
async function* textsOf(path: string): AsyncGenerator<string> {
  let rest = '';
  const pieces = createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE_BYTES });
  for await (const piece of pieces as AsyncIterable<string>) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    yield* texts;
  }
  if (rest !== '') yield rest;
}
