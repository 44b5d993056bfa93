// JSON read where it stands: the few facts that are needed of a text, without
// building the value that it describes. The texts are JSON, unless a function says otherwise.

/** A member of an object, as indexes into its text. */
export interface Member {
  /** Where the name's opening quote is. */
  readonly start: number;
  readonly name: string;
  readonly valueStart: number;
  /** The index behind the value. */
  readonly end: number;
}

/** The members of the object that the text is, in the order of the text: not those of objects within. */
export function* members(text: string): Generator<Member, void> {
  let start = nextToken(text, text.indexOf('{') + 1);
  while (text.charCodeAt(start) === QUOTE) {
    const nameEnd = endOfString(text, start) + 1;
    const valueStart = nextToken(text, text.indexOf(':', nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    yield { start, name: stringOf(text.slice(start, nameEnd)), valueStart, end };
    start = nextToken(text, nextToken(text, end) + 1);
  }
}

/** An object's text with members replaced and added; everything else in it is copied as it stands. */
export class Splice {
  readonly #source: string;
  readonly #pieces: string[] = [];
  /** The index behind what has been copied from the source, or replaced. */
  #done = 0;
  #isEmpty: boolean;

  constructor(source: string) {
    this.#source = source;
    this.#isEmpty = source.charCodeAt(nextToken(source, source.indexOf('{') + 1)) !== QUOTE;
  }

  /** Of the source's members, in their order. */
  replace({ valueStart, end }: Member, value: string): void {
    this.#pieces.push(this.#source.slice(this.#done, valueStart), value);
    this.#done = end;
  }

  /** Behind all that there are: once something is added, nothing is replaced any more. */
  add(name: string, value: string): void {
    const close = this.#source.lastIndexOf('}');
    this.#pieces.push(this.#source.slice(this.#done, close), this.#isEmpty ? '' : ',');
    this.#pieces.push(JSON.stringify(name), ':', value);
    this.#done = close;
    this.#isEmpty = false;
  }

  /** The whole text; there is nothing to do afterwards. */
  finish(): string {
    this.#pieces.push(this.#source.slice(this.#done));
    return this.#pieces.join('');
  }
}

/** One object's text of those of two that have no name in common. */
export function joinedObjects(first: string, second: string): string {
  if (first === '{}') return second;
  return second === '{}' ? first : `${first.slice(0, -1)},${second.slice(1)}`;
}

/** An object's text without the members whose names `dropped` has. */
export function withoutMembers(text: string, dropped: object): string {
  // Whole runs of members: there may be a hundred thousand.
  const runs: string[] = [];
  let [runStart, runEnd] = [0, 0];
  for (const { name, start, end } of members(text)) {
    if (!Object.hasOwn(dropped, name)) {
      if (runStart === 0) runStart = start;
      runEnd = end;
    } else if (runStart > 0) {
      runs.push(text.slice(runStart, runEnd));
      runStart = 0;
    }
  }
  if (runStart > 0) runs.push(text.slice(runStart, runEnd));
  return `{${runs.join(',')}}`;
}

/** The index of the quote that closes the string which opens at `start`, or the end of the text: of any text. */
export function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

/** Behind an odd number of backslashes. */
function isEscaped(text: string, quote: number): boolean {
  let i = quote - 1;
  while (text.charCodeAt(i) === BACKSLASH) i--;
  return (quote - i) % 2 === 0;
}

function endOfValue(text: string, start: number): number {
  const unit = text.charCodeAt(start);
  if (unit === QUOTE) return endOfString(text, start) + 1;
  if (isOpening(unit)) return endOfNested(text, start);
  let end = start;
  while (end < text.length && !isBehindValue(text.charCodeAt(end))) end++;
  return end;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) i = endOfString(text, i);
    else if (isOpening(unit)) depth++;
    else if (isClosing(unit) && --depth === 0) return i + 1;
  }
  return text.length;
}

/** What a string's text stands for: quicker than the parser for most. */
function stringOf(text: string): string {
  return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
}

/** The index of the first character from there on that is no white space. */
function nextToken(text: string, start: number): number {
  let i = start;
  while (isSpace(text.charCodeAt(i))) i++;
  return i;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isOpening(unit: number): boolean {
  return unit === 0x7b || unit === 0x5b;
}

function isClosing(unit: number): boolean {
  return unit === 0x7d || unit === 0x5d;
}

function isBehindValue(unit: number): boolean {
  return unit === 0x2c || isClosing(unit) || isSpace(unit);
}

/** RFC 8259: space, tab, line feed, carriage return. */
function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}
