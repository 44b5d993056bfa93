// The records of an NDJSON file or of a JSON array. Each is a text with the line where it
// begins. The file is never in memory as a whole.

import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { UnreadableFile } from './problem.js';
import { type SourceFile, textOf } from './source-file.js';

export interface JsonRow {
  readonly line: number;
  readonly text: string;
}

/** No request, and so no record, may be longer. The allowance is larger because files for people contain spaces. */
const ROW_MAX_CHARACTERS = 4 * REQUEST_BODY_MAX_BYTES;

/** One record for each line; empty lines are skipped. */
export async function* ndjsonRows(source: SourceFile): AsyncGenerator<JsonRow, void> {
  let line = 1;
  let rest = '';
  for await (const piece of textOf(source)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      if (text.trim() !== '') yield { line, text };
      line++;
    }
    if (rest.length > ROW_MAX_CHARACTERS) throw tooLong(source, line);
  }
  if (rest.trim() !== '') yield { line, text: rest };
}

/** The elements of one array. Throws an `UnreadableFile` if the file is something else. */
export async function* jsonArrayRows(source: SourceFile): AsyncGenerator<JsonRow, void> {
  const scan = new ArrayScan(source);
  for await (const piece of textOf(source)) yield* scan.add(piece);
  scan.end();
}

type Place = 'before' | 'in array' | 'in element' | 'after';

/** Finds the begin and end of each element by the brackets outside of strings. The parser judges the text between them. */
class ArrayScan {
  readonly #source: SourceFile;
  #place: Place = 'before';
  #line = 1;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #element = '';
  #elementLine = 1;
  #needsComma = false;

  constructor(source: SourceFile) {
    this.#source = source;
  }

  *add(piece: string): Generator<JsonRow, void> {
    let start = 0;
    for (let i = 0; i < piece.length; i++) {
      const mark = piece[i] ?? '';
      if (this.#place === 'in element') {
        if (this.#endsElement(mark)) {
          const text = this.#element + piece.slice(start, i);
          this.#element = '';
          yield { line: this.#elementLine, text };
          this.#needsComma = true;
          this.#place = 'in array';
          this.#between(mark);
        }
      } else if (this.#between(mark)) {
        start = i;
        this.#elementLine = this.#line;
        this.#endsElement(mark);
      }
      if (mark === '\n') this.#line++;
    }
    if (this.#place !== 'in element') return;
    this.#element += piece.slice(start);
    if (this.#element.length > ROW_MAX_CHARACTERS) throw tooLong(this.#source, this.#elementLine);
  }

  end(): void {
    if (this.#place !== 'after') throw this.#wrong('the array does not end');
  }

  /** Whether an element begins here. */
  #between(mark: string): boolean {
    if (/\s/.test(mark)) return false;
    if (this.#place === 'before') {
      if (mark !== '[') {
        throw this.#wrong('the file is no JSON array; one record a line is .ndjson');
      }
      this.#place = 'in array';
    } else if (this.#place === 'after') {
      throw this.#wrong('something follows the array');
    } else if (mark === ']') {
      this.#place = 'after';
    } else if (mark === ',' && this.#needsComma) {
      this.#needsComma = false;
    } else if (mark === ',' || this.#needsComma) {
      throw this.#wrong('a comma is missing or one too many');
    } else {
      this.#place = 'in element';
      return true;
    }
    return false;
  }

  /** Whether the element ended before this mark. */
  #endsElement(mark: string): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (mark === '\\') this.#isEscaped = true;
      else if (mark === '"') this.#isInString = false;
      return false;
    }
    if (mark === '"') this.#isInString = true;
    else if (mark === '{' || mark === '[') this.#depth++;
    else if (this.#depth === 0) return mark === ',' || mark === ']';
    else if (mark === '}' || mark === ']') this.#depth--;
    return false;
  }

  #wrong(problem: string): UnreadableFile {
    return new UnreadableFile(this.#source.path, this.#line, problem);
  }
}

function tooLong(source: SourceFile, line: number): UnreadableFile {
  const problem = `the record that begins here is longer than ${ROW_MAX_CHARACTERS} characters`;
  return new UnreadableFile(source.path, line, problem);
}
