// The records of an NDJSON file or of a JSON array, each as a text.

import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { UnreadableFile } from './problem.js';
import { type SourceFile, textOf } from './source-file.js';

export interface JsonRow {
  /** In an array, the number of the record. */
  readonly line: number;
  readonly text: string;
}

/** No request, and so no record, may be longer. The allowance is larger because files for people contain spaces. */
const ROW_MAX_CHARACTERS = 4 * REQUEST_BODY_MAX_BYTES;
/** An array is in memory as a whole. */
const ARRAY_MAX_CHARACTERS = 64 * 1_048_576;
/** Refused as such a record is. `JSON.stringify` would write null. */
const TOO_LARGE_A_NUMBER = '{"number":1e999}';

/** One record for each line; empty lines are skipped. */
export async function* ndjsonRows(source: SourceFile): AsyncGenerator<JsonRow, void> {
  let line = 1;
  let rest = '';
  for await (const piece of textOf(source)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      if (text.trim() !== '') yield { line, text };
      line++;
    }
    if (rest.length > ROW_MAX_CHARACTERS) {
      const problem = `the record that begins here is longer than ${ROW_MAX_CHARACTERS} characters`;
      throw new UnreadableFile(source.path, line, problem);
    }
  }
  if (rest.trim() !== '') yield { line, text: rest };
}

export async function* jsonArrayRows(source: SourceFile): AsyncGenerator<JsonRow, void> {
  const wrong = (problem: string) =>
    new UnreadableFile(source.path, 1, `${problem}; one record a line is .ndjson`);
  let text = '';
  for await (const piece of textOf(source)) {
    text += piece;
    if (text.length > ARRAY_MAX_CHARACTERS) throw wrong('the array is too long');
  }
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch (error) {
    throw wrong(`the file is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(records)) throw wrong('the file is not a JSON array');
  for (const [index, record] of records.entries()) {
    let holds = true;
    const json = JSON.stringify(record, (_name, value) => {
      if (typeof value === 'number') holds &&= Number.isFinite(value);
      return value;
    });
    yield { line: index + 1, text: holds ? json : TOO_LARGE_A_NUMBER };
  }
}
