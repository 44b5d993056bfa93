// The problems of a file: each with its position, the reason and the value. The terminal shows
// the first few; the report, which people open in a spreadsheet, has all of them.

import { closeSync, openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { placeOf, type SourceFile } from './source-file.js';

export interface Problem {
  /** The header or the property; empty if it is about the whole row. */
  readonly column: string;
  readonly problem: string;
  /** Empty if it isn't about a value. */
  readonly value: string;
}

const SHOWN_MAX = 10;
const VALUE_SHOWN_MAX_CHARACTERS = 60;
const VALUE_MAX_CHARACTERS = 1_000;

export class Report {
  badRows = 0;
  #problems = 0;
  readonly #shown: string[] = [];
  readonly #path: string | undefined;
  readonly #file: number | undefined;

  /** `path`: undefined if no report is wanted. An existing file is overwritten. */
  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined) return;
    this.#file = openSync(path, 'w', 0o600);
    writeSync(this.#file, `\ufeff${csvLine(['file', 'line', 'column', 'problem', 'value'])}`);
  }

  /** Adds the problems of one row. `line`: where it begins, from 1. */
  add(source: SourceFile, line: number, problems: readonly Problem[]): void {
    this.badRows++;
    const file = basename(source.path);
    for (const { column, problem, value } of problems) {
      if (++this.#problems <= SHOWN_MAX) {
        const place = column === '' ? '' : `, column ${JSON.stringify(column)}`;
        const shown = JSON.stringify(shortened(value, VALUE_SHOWN_MAX_CHARACTERS));
        const of = value === '' ? '' : ` (${shown})`;
        this.#shown.push(`${file}, ${placeOf(source, line)}${place}: ${problem}${of}`);
      }
      if (this.#file === undefined) continue;
      const cells = [file, String(line), column, problem, value.slice(0, VALUE_MAX_CHARACTERS)];
      writeSync(this.#file, csvLine(cells));
    }
  }

  /** What the terminal shows. */
  lines(): string[] {
    const more = this.#problems - this.#shown.length;
    const where = this.#path ?? 'the file that --report names';
    return more === 0 ? this.#shown : [...this.#shown, `and ${more} more, all in ${where}`];
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Disarms formulas: someone else's file must not run them in the operator's spreadsheet. */
function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { escape_formulas: true, record_delimiter: '\r\n' });
}

export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
