// A dump is NDJSON: a header, the records in their order, the audit events, the totals, and a digest of
// all lines before it.

import { createHash } from 'node:crypto';
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
import { nameAgain } from '../../storage/file/file-copy.js';
import { CommandError } from '../data/failures.js';
import type { Call } from '../program/command.js';

const FORMAT = { dump: 'service-management dump', version: 1 };
const OWNER_ONLY = 0o600;
const READ_BYTES = 1_048_576;

/** The highest numbers ever used in ids. */
type HighestLine = { readonly highest: Sequences };

export type ContentLine = RecordLine | EventLine | HighestLine;

/** A source or a target of dumps. */
export interface Store {
  readonly kind: 'file' | 'postgres' | 'workers' | 'service';
  lines(): AsyncIterable<ContentLine>;
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

/** What is in a dump. */
export class Summary {
  records = 0;
  events = 0;
  readonly highest: Partial<Record<CollectionName, number>> = {};
  /** When the oldest record of each account was made, in milliseconds since 1970. */
  readonly oldest = new Map<string, number>();
  readonly #lines = createHash('sha256');

  /** Throws an error that names the record if no host could serve it. */
  add(line: ContentLine): void {
    if (isEvent(line) || isRecord(line)) this.#lines.update(JSON.stringify(line));
    if (isEvent(line)) this.events++;
    else if (isRecord(line)) {
      const { collection, id, owner, created_at } = line;
      const problem = recordProblem(line);
      if (problem !== undefined) throw new Error(problem);
      this.records++;
      this.#raise({ [collection]: sequenceOf(collection, id) });
      const before = this.oldest.get(owner ?? '') ?? Infinity;
      this.oldest.set(owner ?? '', Math.min(created_at, before));
    } else if ('highest' in line) this.#raise(line.highest);
  }

  /** SHA-256 of records, events and highest numbers: the same before and after a move, on every host. */
  get contents(): string {
    const highest = Object.entries(this.highest).sort().join();
    return this.#lines.copy().update(highest).digest('hex');
  }

  #raise(highest: Sequences): void {
    for (const [name, number] of Object.entries(highest) as [CollectionName, number][]) {
      this.highest[name] = Math.max(number, this.highest[name] ?? 0);
    }
  }
}

/** Resolves when the complete file is on disk under its name. Rejects if the file exists already. */
export async function writeDump(path: string, store: Store, call: Call): Promise<Summary> {
  if (existsSync(path)) throw new CommandError(`${path} already exists; name a new file`);
  const summary = new Summary();
  async function* texts() {
    const digest = createHash('sha256');
    const textOf = (line: object) => {
      const text = `${JSON.stringify(line)}\n`;
      digest.update(text);
      return text;
    };
    const [release, made] = [call.version, new Date(call.now()).toISOString()];
    yield textOf({ ...FORMAT, release, made, source: store.kind });
    for await (const line of store.lines()) {
      summary.add(line);
      if (!('highest' in line)) yield textOf(line);
    }
    const { records, events, highest } = summary;
    yield textOf({ records, events, highest });
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
  return summary;
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

export interface CheckedDump {
  readonly summary: Summary;
  /** Lines for one statement or call; a large one goes alone. */
  batches(): AsyncIterable<{ readonly records: RecordLine[]; readonly events: EventLine[] }>;
}

/** Reads the whole dump before anything is loaded; rejects unless it is intact. */
export async function checkedDump(path: string): Promise<CheckedDump> {
  const summary = new Summary();
  for await (const line of readDump(path)) summary.add(line);
  async function* batches() {
    let [records, events]: [RecordLine[], EventLine[]] = [[], []];
    let characters = 0;
    for await (const line of readDump(path)) {
      if (!isEvent(line) && !isRecord(line)) continue;
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
  return { summary, batches };
}
