// The problems of a file: their number, the first ones for the screen, and all of them in
// the report, which people open in a spreadsheet.

import { closeSync, openSync, writeSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { CommandError, systemCodeOf } from '../failures.js';
import { type Problem, problemText } from './problem.js';

const SHOWN_MAX = 10;
const VALUE_MAX_CHARACTERS = 1_000;

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
    for (const found of problems) {
      const { line, column, problem, value, option } = found;
      const alike = this.#undecided.get(option ?? '') ?? 0;
      if (option !== undefined) this.#undecided.set(option, alike + 1);
      if (alike === 0) {
        if (this.#shown.length < SHOWN_MAX) this.#shown.push(`${file}, ${problemText(found)}`);
        else this.#unshown++;
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
    if (this.#unshown > 0) lines.push(`and ${this.#unshown} more, all of them in ${where}`);
    return lines;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Disarms formulas: a stranger's file must not run them in the operator's spreadsheet. */
function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { escape_formulas: true, record_delimiter: '\r\n' });
}
