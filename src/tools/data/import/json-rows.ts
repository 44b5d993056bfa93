// The records of an NDJSON file or of a JSON array, each as JSON text.

import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { CommandError } from '../failures.js';
import { type SourceFile, textOf } from './source-file.js';

/** In an array, the line is the number of the record. */
type JsonRow = readonly [line: number, text: string];

/** Larger than any request, because files that people write have spaces and indentation. */
const ROW_MAX_CHARACTERS = 4 * REQUEST_BODY_MAX_BYTES;

/** One record per line; empty lines are skipped. */
export async function* ndjsonRows(source: SourceFile): AsyncGenerator<JsonRow, void> {
  let line = 1;
  let rest = '';
  for await (const piece of textOf(source)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      if (text.trim() !== '') yield [line, text];
      line++;
    }
    if (rest.length > ROW_MAX_CHARACTERS) {
      throw new CommandError(
        `${source.path}, line ${line}: the record that begins here is longer than ${ROW_MAX_CHARACTERS} characters`,
      );
    }
  }
  if (rest.trim() !== '') yield [line, rest];
}

export async function* jsonArrayRows(source: SourceFile): AsyncGenerator<JsonRow, void> {
  let text = '';
  for await (const piece of textOf(source)) text += piece;
  for (const [index, record] of arrayIn(text, source.path).entries()) {
    yield [index + 1, JSON.stringify(record)];
  }
}

function arrayIn(text: string, path: string): unknown[] {
  try {
    const array: unknown = JSON.parse(text, (_name, value) => {
      // `JSON.stringify` would write null.
      if (value === Infinity || value === -Infinity) throw new Error('a number is too large');
      return value;
    });
    if (Array.isArray(array)) return array;
    throw new Error('it is something else');
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new CommandError(`${path} is not a JSON array: ${reason}; for JSON Lines, use .ndjson`);
  }
}
