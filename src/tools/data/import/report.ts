// The problems found by an import, each with its position, reason and value. The terminal shows the
// first few; the report, a CSV file for a spreadsheet, has all of them.

import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { OWNER_ONLY_FILE } from '../../../storage/file/durable-files.js';
import { truncate } from '../errors.js';
import { locationOf, type SourceFile } from './source-file.js';

export interface Problem {
  /** The header or the property; empty if it is about the whole row. */
  readonly column: string;
  readonly problem: string;
  /** Empty if the problem isn't about a value. */
  readonly value: string;
}

const SHOWN_MAX = 10;
const VALUE_SHOWN_MAX_CHARACTERS = 60;
const VALUE_MAX_CHARACTERS = 1_000;

export class Report {
  badRows = 0;
  readonly #shown: string[] = [];
  readonly #rows: string[][] = [['file', 'line', 'column', 'problem', 'value']];

  /** Adds the problems of one row. `line`: where the row starts, from 1. */
  add(source: SourceFile, line: number, problems: readonly Problem[]): void {
    if (problems.length > 0) this.badRows++;
    const file = basename(source.path);
    for (const { column, problem, value } of problems) {
      this.#rows.push([file, String(line), column, problem, truncate(value, VALUE_MAX_CHARACTERS)]);
      if (this.#shown.length === SHOWN_MAX) continue;
      const position = column === '' ? '' : `, column ${JSON.stringify(column)}`;
      const shown = JSON.stringify(truncate(value, VALUE_SHOWN_MAX_CHARACTERS));
      const of = value === '' ? '' : ` (${shown})`;
      this.#shown.push(`${file}, ${locationOf(source, line)}${position}: ${problem}${of}`);
    }
  }

  /** The text for the terminal. `path`: of the written report. */
  lines(path = 'the file that --report names'): string[] {
    const more = this.#rows.length - 1 - this.#shown.length;
    return more === 0 ? this.#shown : [...this.#shown, `and ${more} more, all in ${path}`];
  }

  /** Overwrites an existing file. */
  write(path: string): void {
    // Someone else's file must not run formulas in the operator's spreadsheet.
    const style = { escape_formulas: true, record_delimiter: '\r\n', bom: true } as const;
    writeFileSync(path, stringify(this.#rows, style), { mode: OWNER_ONLY_FILE });
  }
}
