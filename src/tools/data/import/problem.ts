// A problem of a row: its place, the reason, and the value.

import { CommandError } from '../failures.js';

/** One finding, as the screen and the report show it. */
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

const VALUE_SHOWN_MAX_CHARACTERS = 60;

export function problemText({ line, column, problem, value }: Problem): string {
  const place = column === '' ? '' : `, column ${JSON.stringify(column)}`;
  const shown = shortened(value, VALUE_SHOWN_MAX_CHARACTERS);
  return `line ${line}${place}: ${problem}${value === '' ? '' : ` (${JSON.stringify(shown)})`}`;
}

export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** From this line on the file cannot be divided into rows. Nothing of it is imported. */
export class UnreadableFile extends CommandError {
  constructor(file: string, line: number, problem: string) {
    super(`${file}, line ${line}: ${problem}`);
  }
}
