// The problems of a file: their number, the first ones for the screen, and all of them in
// the report, which people open in a spreadsheet.

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { CommandError, systemCodeOf } from '../failures.js';
import type { Problem } from './problem.js';

const SHOWN_MAX = 10;
const VALUE_MAX_CHARACTERS = 1_000;

export class Report {
  /** The first ten; of those that one option decides the first alone. */
  readonly shown: (Problem & { readonly file: string })[] = [];
  /** Problems that are neither shown nor decided by an option that is. */
  unshown = 0;
  badRows = 0;
  /** How many values an option decides. */
  readonly undecided = new Map<string, number>();
  readonly #stream: WriteStream | undefined;

  private constructor(stream: WriteStream | undefined) {
    this.#stream = stream;
  }

  /** `path`: undefined if no report is wanted. An existing report of that name is replaced. */
  static async open(path: string | undefined): Promise<Report> {
    if (path === undefined) return new Report(undefined);
    const stream = createWriteStream(path, { mode: 0o600 });
    await once(stream, 'open').catch((error: unknown) => {
      throw new CommandError(
        `--report names ${path}, which cannot be written (${systemCodeOf(error)}); name another file`,
      );
    });
    stream.write(`\ufeff${csvLine(['file', 'line', 'column', 'problem', 'value'])}`);
    return new Report(stream);
  }

  /** Adds the problems of one row. */
  async add(file: string, problems: readonly Problem[]): Promise<void> {
    this.badRows++;
    for (const found of problems) {
      const { option } = found;
      const alike = option === undefined ? 0 : (this.undecided.get(option) ?? 0);
      if (option !== undefined) this.undecided.set(option, alike + 1);
      if (alike === 0) {
        if (this.shown.length < SHOWN_MAX) this.shown.push({ file, ...found });
        else this.unshown++;
      }
      const { line, column, problem, value } = found;
      const text = csvLine([
        file,
        String(line),
        column,
        problem,
        value.slice(0, VALUE_MAX_CHARACTERS),
      ]);
      if (this.#stream?.write(text) === false) await once(this.#stream, 'drain');
    }
  }

  async close(): Promise<void> {
    if (this.#stream === undefined) return;
    this.#stream.end();
    await once(this.#stream, 'close');
  }
}

/** Disarms formulas: a stranger's file must not run them in the operator's spreadsheet. */
function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { escape_formulas: true, record_delimiter: '\r\n' });
}
