// What is wrong with a row: where it stands, what it is, and the value.

/** One finding, as the screen and the report show it. */
export interface Problem {
  /** Of the file, from 1; of a row that goes over several lines, its first. */
  readonly line: number;
  /** The header, or the property; empty where the whole row is meant. */
  readonly column: string;
  readonly problem: string;
  /** Empty where there is none. */
  readonly value: string;
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

/** A file whose rows cannot be told apart from some place on: none of it is imported. */
export class UnreadableFile extends Error {
  constructor(file: string, problem: Problem) {
    super(`${file}, ${problemText(problem)}`);
  }
}
