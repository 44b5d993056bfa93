// Writes a dump, and reads one that is whole.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { objectIn } from '../../core/json-line.js';
import { isThere, nameAgain } from '../../storage/backup/file-copy.js';
import { rowName, rowProblem } from '../../storage/dump/dumped-rows.js';
import { CommandError } from '../data/failures.js';
import {
  type ContentLine,
  Contents,
  type DumpSource,
  isRecord,
  type RecordLine,
  rowOf,
  type SourceKind,
  type Totals,
} from './lines.js';

const FORMAT = 'service-management dump';
const FORMAT_VERSION = 1;
const OWNER_ONLY = 0o600;
const PIECE_CHARACTERS = 1_048_576;
/** A record of 2 MiB as a text within JSON is at most six times as long. */
const LINE_MAX_CHARACTERS = 16_777_216;

export interface Head {
  readonly release: string;
  /** RFC 3339, UTC. */
  readonly made: string;
  readonly source: SourceKind;
  /** The one account that was dumped; null for all. */
  readonly account: string | null;
}

/** Resolves when the file is whole, on disk, and has its name. Rejects if there is one already. */
export async function writeDump(path: string, source: DumpSource, head: Head): Promise<Totals> {
  if (await isThere(path)) throw new CommandError(`${path} already exists; name a new file`);
  const contents = new Contents();
  async function* lines() {
    yield { dump: FORMAT, version: FORMAT_VERSION, ...head };
    for await (const line of source.lines(head.account ?? undefined)) {
      if (isRecord(line)) expectUsable(line);
      await contents.add(line);
      yield line;
    }
    const totals = await contents.totals();
    if (head.account !== null && totals.records + totals.events === 0) {
      throw new CommandError(`there is no account ${JSON.stringify(head.account)}`);
    }
    yield totals;
  }
  const part = `${path}.part`;
  await rm(part, { force: true });
  try {
    const file = createWriteStream(part, { flags: 'wx', mode: OWNER_ONLY, flush: true });
    await pipeline(() => withDigest(lines()), file);
    await nameAgain(part, path);
  } finally {
    await rm(part, { force: true });
  }
  return contents.totals();
}

async function* withDigest(lines: AsyncIterable<object>): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let text = '';
  for await (const line of lines) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < PIECE_CHARACTERS) continue;
    hash.update(text);
    yield text;
    text = '';
  }
  const sha256 = hash.update(text).digest('hex');
  yield `${text}${JSON.stringify({ sha256 })}\n`;
}

/** Throws an error that names the record if no storage could serve it. */
export function expectUsable(line: RecordLine): void {
  const problem = rowProblem(rowOf(line), line.owner ?? undefined);
  if (problem !== undefined) throw new Error(`the record ${rowName(rowOf(line))} ${problem}`);
}

export interface WholeDump {
  readonly head: Head;
  readonly totals: Totals;
  /** Names the dump. */
  readonly sha256: string;
}

/**
 * Reads the dump to its end. Rejects, with a sentence, if it was cut or changed. `see`: called with
 * each line; what it throws is a reason to refuse the dump.
 */
export async function readWholeDump(
  path: string,
  see: (line: ContentLine, head: Head) => void,
): Promise<WholeDump> {
  const hash = createHash('sha256');
  let head: Head | undefined;
  let totals: Totals | undefined;
  let sha256: unknown;
  for await (const { line, text } of linesOf(path)) {
    if (sha256 !== undefined) throw changed(path, 'it goes on after its digest');
    if (head === undefined) head = headIn(line, path);
    else if ('contents' in line) totals = line as unknown as Totals;
    else if ('sha256' in line) {
      sha256 = line['sha256'];
      continue;
    } else see(line as unknown as ContentLine, head);
    hash.update(text).update('\n');
  }
  if (head === undefined) throw new CommandError(`${path} is empty; name a dump`);
  if (sha256 === undefined || totals === undefined) throw changed(path, 'its end is missing');
  const found = hash.digest('hex');
  if (sha256 !== found) throw changed(path, 'its digest is that of another text');
  return { head, totals, sha256: found };
}

/** The lines of a dump that was found whole. */
export async function* contentLines(path: string): AsyncGenerator<ContentLine> {
  for await (const { line } of linesOf(path)) {
    const isContent = !('dump' in line || 'contents' in line || 'sha256' in line);
    if (isContent) yield line as unknown as ContentLine;
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

/** Not `readline`: it takes U+2028 for the end of a line. */
async function* linesOf(path: string) {
  let number = 0;
  let rest = '';
  const pieces = createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE_CHARACTERS });
  async function* texts() {
    for await (const piece of pieces as AsyncIterable<string>) {
      const whole = (rest + piece).split('\n');
      rest = whole.pop() ?? '';
      if (rest.length > LINE_MAX_CHARACTERS)
        throw changed(path, 'a line is longer than any record');
      yield* whole;
    }
    if (rest !== '') yield rest;
  }
  for await (const text of texts()) {
    number++;
    const line = objectIn(text) as Record<string, unknown> | undefined;
    if (line === undefined) throw changed(path, `line ${number} is not a JSON object`);
    yield { line, text };
  }
}

function changed(path: string, finding: string): CommandError {
  return new CommandError(
    `${path} was cut or changed: ${finding}; nothing was loaded, use another copy of the dump`,
  );
}
