// A dump is NDJSON: a header, each account's records oldest first, the audit events, the totals, and a
// digest of all lines before it.

import { createHash, hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import { objectIn } from '../../core/json-line.js';
import type { Sequences, StoredRow } from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import {
  type EventLine,
  PIECE_MAX_CHARACTERS,
  PIECE_MAX_ROWS,
  type RecordLine,
  recordProblem,
} from '../../storage/dump/dumped-rows.js';
import type { Ledger } from '../../storage/erasures/ledger.js';
import { nameAgain } from '../../storage/file/file-copy.js';
import { CommandError } from '../data/failures.js';
import type { Call } from '../program/command.js';

const FORMAT = { dump: 'service-management dump', version: 1 };
const OWNER_ONLY = 0o600;
const READ_BYTES = 1_048_576;

/** The highest numbers ever used in ids. */
type HighestLine = { readonly account: null; readonly highest: Sequences };

export type ContentLine = RecordLine | EventLine | HighestLine;

/** A source or a target of dumps. */
export interface Store {
  readonly kind: 'file' | 'postgres' | 'workers' | 'service';
  /** `account`: the only one needed; undefined: all. */
  lines(account?: string): AsyncIterable<ContentLine>;
  /** All or nothing; can be repeated if it was interrupted. */
  load?(dump: CheckedDump): Promise<void>;
}

const isRecord = (line: object): line is RecordLine => 'body' in line;
const isEvent = (line: object): line is EventLine => 'event' in line;

/** From a database row. Its JSON is authoritative: a column cannot hold every subject. */
export function recordLine(row: object): RecordLine {
  const { collection, body, ...columns } = row as StoredRow &
    Record<'created_at' | 'updated_at', unknown>;
  const { id, owner = null } = storedFacts({ collection, body, ...columns });
  const [created_at, updated_at] = [Number(columns.created_at), Number(columns.updated_at)];
  return { collection, id, owner, created_at, updated_at, body };
}

/** Throws if the text is not an audit event. */
export function eventLine(id: number, event: string): EventLine {
  const { owner_sub: owner, timestamp } = (objectIn(event) ?? {}) as Record<string, unknown>;
  if (typeof owner === 'string' && typeof timestamp === 'string') return { id, owner, event };
  throw new CommandError(`the audit event ${id} cannot be read; restore a backup`);
}

/** Sums over lines, whatever the order of accounts and events. */
export class Contents {
  records = 0;
  events = 0;
  readonly highest: Partial<Record<CollectionName, number>> = {};
  /** Records so far, by collection and account: their order is part of the digest. */
  readonly #orders = new Map<string, number>();
  #sum = 0n;

  /** Equal for two hosts with the same records, times, order and audit events. */
  get contents(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }

  /** Throws an error that names the record if no host could serve it. */
  add(line: ContentLine): void {
    if (isEvent(line)) {
      this.events++;
      this.#addTo(line.event);
    } else if (isRecord(line)) {
      const { collection, id, owner, created_at, updated_at, body } = line;
      const problem = recordProblem(line);
      if (problem !== undefined) throw new Error(problem);
      const order = this.#orders.get(`${collection} ${owner}`) ?? 0;
      this.#orders.set(`${collection} ${owner}`, order + 1);
      this.records++;
      this.raise({ [collection]: sequenceOf(collection, id) });
      this.#addTo(JSON.stringify([owner, collection, order, id, created_at, updated_at, body]));
    } else this.raise(line.highest);
  }

  raise(highest: Sequences): void {
    for (const [name, number] of Object.entries(highest) as [CollectionName, number][]) {
      this.highest[name] = Math.max(number, this.highest[name] ?? 0);
    }
  }

  /** A sum, not an XOR: two equal events must not cancel each other out. */
  #addTo(text: string): void {
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash('sha256', text)}`));
  }
}

/** Resolves when the complete file is on disk under its name. Rejects if the file exists already. */
export async function writeDump(
  path: string,
  store: Store,
  account: string | undefined,
  call: Call,
) {
  if (existsSync(path)) throw new CommandError(`${path} already exists; name a new file`);
  const sums = new Contents();
  async function* texts() {
    const digest = createHash('sha256');
    const textOf = (line: object) => {
      const text = `${JSON.stringify(line)}\n`;
      digest.update(text);
      return text;
    };
    const [release, made] = [call.version, new Date(call.now()).toISOString()];
    yield textOf({ ...FORMAT, release, made, source: store.kind, account: account ?? null });
    for await (const line of store.lines(account)) {
      if (account !== undefined && 'owner' in line && line.owner !== account) continue;
      sums.add(line);
      yield textOf(line);
    }
    const { records, events, contents, highest } = sums;
    if (account !== undefined && records + events === 0) {
      throw new CommandError(`there is no account ${JSON.stringify(account)}`);
    }
    yield textOf({ records, events, contents, highest });
    yield `${JSON.stringify({ sha256: digest.digest('hex') })}\n`;
  }
  const part = `${path}.part`;
  await rm(part, { force: true });
  // Opened here: a stream that opens its own file may create it after a failure has removed it.
  const file = await open(part, 'wx', OWNER_ONLY);
  try {
    await pipeline(texts, file.createWriteStream({ flush: true, highWaterMark: READ_BYTES }));
    await nameAgain(part, path);
  } finally {
    await rm(part, { force: true });
  }
  return sums;
}

/** Every line of a dump. Rejects, at the end at the latest, if it was truncated or changed. */
async function* readDump(path: string): AsyncGenerator<ContentLine, void> {
  const digest = createHash('sha256');
  let [before, line]: [string, Partial<typeof FORMAT & { sha256: string }>] = ['', {}];
  for await (const text of textsOf(path)) {
    line = objectIn(text) ?? {};
    if (before === '' && (line.dump !== FORMAT.dump || line.version !== FORMAT.version)) {
      throw new CommandError(`${path} is not a dump of version ${FORMAT.version} of the format`);
    }
    digest.update(before);
    before = `${text}\n`;
    yield line as ContentLine;
  }
  if (line.sha256 === digest.digest('hex')) return;
  throw new CommandError(
    `${path} was cut or changed: its digest does not match; nothing was loaded, use another copy of the dump`,
  );
}

/** Not `readline`, which treats U+2028 as a line break. */
async function* textsOf(path: string): AsyncGenerator<string> {
  let rest = '';
  const pieces = createReadStream(path, { encoding: 'utf8', highWaterMark: READ_BYTES });
  for await (const piece of pieces as AsyncIterable<string>) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    yield* texts;
  }
  if (rest !== '') yield rest;
}

export type CheckedDump = Awaited<ReturnType<typeof checkedDump>>;

/**
 * Reads the whole dump before anything is loaded; rejects unless it is intact. `ledger`: accounts
 * that it lists as erased since are left out.
 */
export async function checkedDump(path: string, ledger: Ledger | undefined) {
  const withheld = new Map<string, string>();
  const loaded = new Contents();
  for await (const line of readDump(path)) {
    if ('highest' in line) loaded.raise(line.highest);
    if (!isRecord(line)) continue;
    const owner = line.owner ?? '';
    const erased = ledger?.erasedAfter(owner, line.created_at);
    if (erased !== undefined)
      withheld.set(owner, `it was erased on ${erased}; --bring-back loads it`);
  }
  /** Lines for one statement or call; a large one goes alone. */
  async function* batches() {
    let [records, events]: [RecordLine[], EventLine[]] = [[], []];
    let characters = 0;
    for await (const line of readDump(path)) {
      if (!isEvent(line) && !(isRecord(line) && !withheld.has(line.owner ?? ''))) continue;
      loaded.add(line);
      const { length } = isRecord(line) ? line.body : line.event;
      const count = records.length + events.length;
      if (count === PIECE_MAX_ROWS || (count > 0 && characters + length > PIECE_MAX_CHARACTERS)) {
        yield { records, events };
        [records, events, characters] = [[], [], 0];
      }
      characters += length;
      if (isRecord(line)) records.push(line);
      else events.push(line);
    }
    yield { records, events };
  }
  return { withheld, loaded, batches };
}
