// The records of an NDJSON file or of a JSON array, each as JSON text.

import { messageOf } from '../../program/command.js';
import { CommandError } from '../failures.js';
import type { SourceFile } from './source-file.js';

/** In an array, `line` is the number of the record. */
export interface JsonRow {
  readonly line: number;
  readonly json: string;
}

/** One record per line; empty lines are skipped. */
export function ndjsonRows({ text }: SourceFile): JsonRow[] {
  const lines = text.split('\n').map((json, index) => ({ line: index + 1, json }));
  return lines.filter(({ json }) => json.trim() !== '');
}

export function jsonArrayRows({ path, text }: SourceFile): JsonRow[] {
  try {
    const array: unknown = JSON.parse(text, (_name, value) => {
      // `JSON.stringify` would write null.
      if (value === Infinity || value === -Infinity) throw new Error('a number is too large');
      return value;
    });
    if (!Array.isArray(array)) throw new Error('it is something else');
    return array.map((record, index) => ({ line: index + 1, json: JSON.stringify(record) }));
  } catch (error) {
    throw new CommandError(
      `${path} is not a JSON array: ${messageOf(error)}; for JSON Lines, use .ndjson`,
    );
  }
}
