// Writes a dump, and reads one to its end.

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
  type Digest,
  type DumpSource,
  type Head,
  isRecord,
  type RecordLine,
  rowOf,
  type Totals,
} from './lines.js';

const FORMAT = 'service-management dump';
const FORMAT_VERSION = 1;
const OWNER_ONLY = 0o600;
const PIECE_CHARACTERS = 1_048_576;
/** A record of 2 MiB as a text within JSON is at most six times as long. */
const LINE_MAX_CHARACTERS = 16_777_216;

/** Resolves when the file is whole, on disk, and has its name. Rejects if there is one already. */
export async function writeDump(
  path: string,
  source: DumpSource,
  head: Omit<Head, 'dump' | 'version'>,
): Promise<Totals> {
  if (await isThere(path)) throw new CommandError(`${path} already exists; name a new file`);
  const contents = new Contents();
  async function* lines() {
    yield { dump: FORMAT, version: FORMAT_VERSION, ...head };
    for await (const line of source.lines(head.account ?? undefined)) {
      if (isRecord(line)) expectUsable(line);
      contents.add(line);
      yield line;
    }
    const { records, events } = contents.totals;
    if (head.account !== null && records + events === 0) {
      throw new CommandError(`there is no account ${JSON.stringify(head.account)}`);
    }
    yield contents.totals;
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
  return contents.totals;
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

/** Every line of a dump. Rejects, at the latest at its end, if it was cut or changed. */
export async function* readDump(
  path: string,
): AsyncGenerator<Head | ContentLine | Totals | Digest, void> {
  const changed = (finding: string) =>
    new CommandError(
      `${path} was cut or changed: ${finding}; nothing was loaded, use another copy of the dump`,
    );
  const hash = createHash('sha256');
  let number = 0;
  let last: object = {};
  for await (const text of textsOf(path)) {
    number++;
    const line: { dump?: unknown; version?: unknown; sha256?: unknown } | undefined =
      objectIn(text);
    if (text.length > LINE_MAX_CHARACTERS) throw changed('a line is longer than any record');
    if (line === undefined) throw changed(`line ${number} is not a JSON object`);
    if (number === 1 && line.dump !== FORMAT) {
      throw new CommandError(`${path} is not a dump of this service`);
    }
    if (number === 1 && line.version !== FORMAT_VERSION) {
      throw new CommandError(
        `${path} has version ${line.version} of the format, this release has ${FORMAT_VERSION}; load it with its own release`,
      );
    }
    if ('sha256' in last) throw changed('it continues after its digest');
    if ('sha256' in line && line.sha256 !== hash.digest('hex')) {
      throw changed('its digest does not match');
    }
    if (!('sha256' in line)) hash.update(text).update('\n');
    last = line;
    yield line as Head | ContentLine | Totals | Digest;
  }
  if (number === 0) throw new CommandError(`${path} is empty; name a dump`);
  if (!('sha256' in last)) throw changed('its end is missing');
}

/** Not `readline`: it takes U+2028 for the end of a line. */
async function* textsOf(path: string): AsyncGenerator<string> {
  let rest = '';
  const pieces = createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE_CHARACTERS });
  for await (const piece of pieces as AsyncIterable<string>) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    yield* texts;
    if (rest.length > LINE_MAX_CHARACTERS) break;
  }
  if (rest !== '') yield rest;
}
