// A problem of a row: its place, the reason, and the value.

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
  const place = column === '' ? `line ${line}` : `line ${line}, column ${JSON.stringify(column)}`;
  const shown =
    value.length > VALUE_SHOWN_MAX_CHARACTERS
      ? `${value.slice(0, VALUE_SHOWN_MAX_CHARACTERS)}…`
      : value;
  return `${place}: ${problem}${value === '' ? '' : ` (${JSON.stringify(shown)})`}`;
}

/** From this line on the file cannot be divided into rows. Nothing of it is imported. */
export class UnreadableFile extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file}, ${problemText({ line, column: '', problem, value: '' })}`);
  }
}
