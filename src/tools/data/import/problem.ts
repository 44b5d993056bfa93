// The problems of a file: each has its place, the reason and the value. The screen shows the first
// ones; the report, which people open in a spreadsheet, has all of them.

import { closeSync, openSync, writeSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { CommandError, systemCodeOf } from '../failures.js';

export interface Problem {
  /** The line in the file, from 1. If a row has several lines, its first line. */
  readonly line: number;
  /** The header, or the property; empty if the whole row is meant. */
  readonly column: string;
  readonly problem: string;
  /** Empty if no value is meant. */
  readonly value: string;
  /** The cell has two readings: this option decides for all such cells. */
  readonly option?: '--decimal' | '--dates';
}

/** From this line on the file can't be divided into rows. None of it is imported. */
export class UnreadableFile extends CommandError {
  constructor(file: string, line: number, problem: string) {
    super(`${file}, line ${line}: ${problem}`);
  }
}

const SHOWN_MAX = 10;
const VALUE_SHOWN_MAX_CHARACTERS = 60;
const VALUE_MAX_CHARACTERS = 1_000;

export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

export class Report {
  badRows = 0;
  /** The first ten; of those that one option decides, only the first. */
  readonly #shown: string[] = [];
  #unshown = 0;
  /** How many values an option decides. */
  readonly #undecided = new Map<string, number>();
  readonly #path: string | undefined;
  readonly #file: number | undefined;

  /** `path`: undefined if no report is wanted. An existing report of that name is replaced. */
  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined) return;
    try {
      this.#file = openSync(path, 'w', 0o600);
    } catch (error) {
      throw new CommandError(
        `--report names ${path}, which cannot be written (${systemCodeOf(error)}); name another file`,
      );
    }
    writeSync(this.#file, `\ufeff${csvLine(['file', 'line', 'column', 'problem', 'value'])}`);
  }

  /** Adds the problems of one row. */
  add(file: string, problems: readonly Problem[]): void {
    this.badRows++;
    for (const { line, column, problem, value, option } of problems) {
      const alike = this.#undecided.get(option ?? '') ?? 0;
      if (option !== undefined) this.#undecided.set(option, alike + 1);
      if (alike > 0 || this.#shown.length === SHOWN_MAX) this.#unshown += alike > 0 ? 0 : 1;
      else {
        const place = column === '' ? '' : `, column ${JSON.stringify(column)}`;
        const shown = JSON.stringify(shortened(value, VALUE_SHOWN_MAX_CHARACTERS));
        const of = value === '' ? '' : ` (${shown})`;
        this.#shown.push(`${file}, line ${line}${place}: ${problem}${of}`);
      }
      if (this.#file === undefined) continue;
      const cells = [file, String(line), column, problem, value.slice(0, VALUE_MAX_CHARACTERS)];
      writeSync(this.#file, csvLine(cells));
    }
  }

  /** What the screen shows of them. */
  lines(): string[] {
    const lines = [...this.#shown];
    for (const [option, count] of this.#undecided) {
      if (count > 1) lines.push(`${count} values have two readings: pass ${option} for all`);
    }
    const where = this.#path ?? 'the file that --report names';
    if (this.#unshown > 0) lines.push(`and ${this.#unshown} more, all in ${where}`);
    return lines;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Disarms formulas: someone else's file must not run them in the operator's spreadsheet. */
function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { escape_formulas: true, record_delimiter: '\r\n' });
}
