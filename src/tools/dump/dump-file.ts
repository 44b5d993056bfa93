// Writes and reads dump files: NDJSON with a header, the records in order, the audit events, the totals,
// and a digest of all lines before it.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import { parseJsonLine } from '../../core/json-line.js';
import type { Sequences } from '../../core/records/record-storage.js';
import {
  assertRecord,
  type DumpLine,
  isEvent,
  isRecord,
  linesOf,
} from '../../storage/dump/dump-lines.js';
import { OWNER_ONLY_FILE, syncFolder } from '../../storage/file/durable-files.js';
import type { Call } from '../program/command.js';

const FORMAT = { dump: 'service-management dump', version: 1 };

/** A source or a target of dumps. */
export interface Store {
  lines(): AsyncIterable<DumpLine>;
  /** In one transaction. `path`: of an intact dump. */
  load(path: string, highest: Sequences): Promise<void>;
}

/** Summarizes the lines of a dump. */
export class Summary {
  records = 0;
  events = 0;
  readonly highest: Partial<Record<CollectionName, number>> = {};
  /** When the oldest record of each account was created, in milliseconds since 1970. */
  readonly oldest = new Map<string, number>();
  readonly #lines = createHash('sha256');

  /** Throws an error that names the record if it is invalid. */
  add(line: DumpLine): void {
    if ('highest' in line) this.#raise(line.highest);
    if (!isRecord(line) && !isEvent(line)) return;
    this.#lines.update(JSON.stringify(line));
    if (isEvent(line)) return void this.events++;
    assertRecord(line);
    const { collection, id, created_at } = line;
    this.records++;
    this.#raise({ [collection]: sequenceOf(collection, id) });
    const owner = line.owner ?? '';
    this.oldest.set(owner, Math.min(created_at, this.oldest.get(owner) ?? Infinity));
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

/**
 * Resolves when the file is on disk. Rejects if it already exists. A killed dump leaves a file without its
 * last line, which `load` refuses.
 */
export async function writeDump(path: string, store: Store, call: Call): Promise<Summary> {
  if (existsSync(path)) throw new Error(`${path} already exists; name a new file`);
  const summary = new Summary();
  async function* texts() {
    const digest = createHash('sha256');
    const textOf = (line: object) => {
      const text = `${JSON.stringify(line)}\n`;
      digest.update(text);
      return text;
    };
    yield textOf({ ...FORMAT, release: call.version, made: new Date().toISOString() });
    for await (const line of store.lines()) {
      summary.add(line);
      if (!('highest' in line)) yield textOf(line);
    }
    const { records, events, highest } = summary;
    yield textOf({ records, events, highest });
    yield textOf({ sha256: digest.copy().digest('hex') });
  }
  // Opened here, because a stream could create the file after an error has removed it.
  const file = await open(path, 'wx', OWNER_ONLY_FILE);
  try {
    await pipeline(texts, file.createWriteStream({ flush: true }));
    syncFolder(dirname(path));
    return summary;
  } catch (error) {
    await rm(path);
    throw error;
  }
}

/** Yields every line. Rejects, at the latest at the end, if the dump was truncated or modified. */
export async function* readDump(path: string): AsyncGenerator<DumpLine, void> {
  const digest = createHash('sha256');
  let [isFirst, isIntact] = [true, false];
  for await (const text of linesOf(createReadStream(path, 'utf8'))) {
    const line: Partial<typeof FORMAT & { sha256: string }> = parseJsonLine(text) ?? {};
    if (isFirst && (line.dump !== FORMAT.dump || line.version !== FORMAT.version)) {
      throw new Error(`${path} is not a dump of version ${FORMAT.version} of the format`);
    }
    isFirst = false;
    isIntact = line.sha256 !== undefined && line.sha256 === digest.copy().digest('hex');
    digest.update(`${text}\n`);
    yield line as DumpLine;
  }
  if (isIntact) return;
  throw new Error(
    `${path} is truncated or modified (digest mismatch); nothing was loaded; use another copy`,
  );
}

/** Reads the whole dump; rejects unless it is intact. */
export async function readSummary(path: string): Promise<Summary> {
  const summary = new Summary();
  for await (const line of readDump(path)) summary.add(line);
  return summary;
}
