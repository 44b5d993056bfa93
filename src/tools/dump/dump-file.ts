// Writes a dump, and reads one that is whole.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { isThere, nameAgain } from '../../storage/backup/file-copy.js';
import { CommandError } from '../data/failures.js';
import {
  type ContentLine,
  Contents,
  type DumpSource,
  expectUsable,
  FORMAT,
  FORMAT_VERSION,
  type Head,
  isRecord,
  type TotalsLine,
} from './lines.js';

const OWNER_ONLY = 0o600;
const WRITTEN_BYTES = 1_048_576;
/** A record of 2 MiB as a text within JSON is at most six times as long. */
const LINE_MAX_BYTES = 16_777_216;
const NEWLINE = 0x0a;

/** Resolves when the file is whole, on disk, and has its name. Rejects if there is one already. */
export async function writeDump(
  path: string,
  source: DumpSource,
  head: Omit<Head, 'dump' | 'version' | 'source'>,
): Promise<TotalsLine> {
  if (await isThere(path)) throw new CommandError(`${path} already exists; name a new file`);
  const part = `${path}.part`;
  await rm(part, { force: true });
  const file = await open(part, 'wx', OWNER_ONLY);
  try {
    const writer = new Writer(file);
    const { account } = head;
    await writer.add({ dump: FORMAT, version: FORMAT_VERSION, source: source.kind, ...head });
    const contents = new Contents();
    for await (const line of source.lines(account ?? undefined)) {
      if (isRecord(line)) expectUsable(line);
      await contents.add(line);
      await writer.add(line);
    }
    const totals = { ...(await contents.totals()), highest: source.highest() };
    if (account !== null && totals.records + totals.events === 0) {
      throw new CommandError(`there is no account ${JSON.stringify(account)}`);
    }
    await writer.add(totals);
    await writer.end();
    await file.sync();
    await nameAgain(part, path);
    return totals;
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

class Writer {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #waiting = '';

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(line: object): Promise<void> {
    this.#waiting += `${JSON.stringify(line)}\n`;
    if (this.#waiting.length >= WRITTEN_BYTES) await this.#write();
  }

  async end(): Promise<void> {
    await this.#write();
    await this.#file.writeFile(`${JSON.stringify({ sha256: this.#hash.digest('hex') })}\n`);
  }

  async #write(): Promise<void> {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#hash.update(bytes);
    await this.#file.writeFile(bytes);
  }
}

export interface WholeDump {
  readonly path: string;
  readonly head: Head;
  readonly totals: TotalsLine;
  /** Names the dump: its digest. */
  readonly sha256: string;
}

/**
 * Reads the dump to its end. Rejects, with a sentence, if it was cut or changed. `see`: called with
 * each line; what it throws is a reason to refuse the dump.
 */
export async function readWholeDump(
  path: string,
  see: (line: ContentLine, number: number) => void | Promise<void>,
): Promise<WholeDump> {
  const hash = createHash('sha256');
  let head: Head | undefined;
  let totals: TotalsLine | undefined;
  let sum: string | undefined;
  let number = 0;
  for await (const bytes of linesOf(path)) {
    number++;
    const line = parsed(bytes, path, number);
    if (sum !== undefined) throw changed(path, 'it goes on after its digest');
    if (head === undefined) head = headIn(line, path);
    else if ('sha256' in line) sum = String(line['sha256']);
    else if ('contents' in line) totals = line as unknown as TotalsLine;
    else await see(line as unknown as ContentLine, number);
    if (sum === undefined) hash.update(bytes).update('\n');
  }
  if (head === undefined) throw new CommandError(`${path} is empty; name a dump`);
  if (sum === undefined || totals === undefined) throw changed(path, 'its end is missing');
  if (sum !== hash.digest('hex')) throw changed(path, 'its digest is that of another text');
  return { path, head, totals, sha256: sum };
}

/** The lines of a dump that was found whole. */
export async function* contentLines(path: string): AsyncGenerator<[ContentLine, number]> {
  let number = 0;
  for await (const bytes of linesOf(path)) {
    number++;
    const line = parsed(bytes, path, number);
    if (number === 1 || 'contents' in line || 'sha256' in line) continue;
    yield [line as unknown as ContentLine, number];
  }
}

function headIn(line: Record<string, unknown>, path: string): Head {
  const { dump, version } = line;
  if (dump !== FORMAT) throw new CommandError(`${path} is not a dump of this service`);
  if (Number(version) > FORMAT_VERSION) {
    throw new CommandError(
      `${path} has version ${version} of the format; this release reads up to ${FORMAT_VERSION}: load it with a newer release`,
    );
  }
  return line as unknown as Head;
}

function parsed(bytes: Buffer, path: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw changed(path, `line ${number} is not a JSON object`);
}

function changed(path: string, finding: string): CommandError {
  return new CommandError(
    `${path} was cut or changed: ${finding}; nothing was loaded, use another copy of the dump`,
  );
}

/** Not `readline`: it takes U+2028 for the end of a line. A last line without its end is a line, too. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: WRITTEN_BYTES })) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]);
      rest = [];
      bytes = 0;
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > LINE_MAX_BYTES) throw changed(path, 'a line is longer than any record');
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
