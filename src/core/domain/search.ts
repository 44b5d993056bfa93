// `q`: case-insensitive substring search over a record's JSON text.

/**
 * A longer needle is searched with a linear algorithm, because `String.indexOf` is
 * quadratic at its worst.
 */
const INDEX_OF_MAX_CHARACTERS = 256;
/** How much of a text is folded or searched at once: below a millisecond, whatever the text and the needle. */
export const WINDOW_CHARACTERS = 32_768;

/** Called between two steps of long work: resolves in the account's next slice if this one is used up. */
export type YieldIfNeeded = () => Promise<void> | undefined;

/** The text that a search looks for, case-folded. */
export class Needle {
  readonly #text: string;
  readonly #borders: Int32Array | undefined;

  /** `q` is the caller's text: never a regular expression. */
  constructor(q: string) {
    this.#text = caseFolded(q);
    this.#borders =
      this.#text.length > INDEX_OF_MAX_CHARACTERS ? borderLengths(this.#text) : undefined;
  }

  /** In characters. */
  get length(): number {
    return this.#text.length;
  }

  /** Index of the first occurrence in a folded text between two indexes; -1 if there is none. */
  indexIn(folded: string, from = 0, to = folded.length): number {
    if (this.#borders !== undefined) {
      return indexOfLinear(folded, this.#text, this.#borders, from, to);
    }
    const whole = from === 0 && to >= folded.length;
    const at = (whole ? folded : folded.slice(from, to)).indexOf(this.#text);
    return at === -1 ? -1 : from + at;
  }

  /** Whether a text of any length contains the needle; yields after each window. */
  async isIn(text: string, yieldIfNeeded: YieldIfNeeded): Promise<boolean> {
    let overlap = '';
    for (let start = 0; start < text.length; ) {
      const end = cutPoint(text, start + WINDOW_CHARACTERS);
      const folded = overlap + caseFolded(text.slice(start, end));
      if (this.indexIn(folded) !== -1) return true;
      overlap = this.length > 1 ? folded.slice(1 - this.length) : '';
      start = end;
      const turn = yieldIfNeeded();
      if (turn !== undefined) await turn;
    }
    return false;
  }
}

/**
 * Lower case that does not depend on neighbouring letters: `toLowerCase` makes ς of a
 * Σ at the end of a word, and σ elsewhere.
 */
export function caseFolded(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Where a text may be cut, at `end` or just before it: the halves of a surrogate pair alone are not text. */
export function cutPoint(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** Knuth-Morris-Pratt: looks at each character of `text` at most twice. */
function indexOfLinear(
  text: string,
  needle: string,
  borders: Int32Array,
  from: number,
  to: number,
): number {
  const end = Math.min(to, text.length);
  let matched = 0;
  for (let i = from; i < end; i++) {
    const unit = text.charCodeAt(i);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched++;
    if (matched === needle.length) return i + 1 - matched;
  }
  return -1;
}

/** For each prefix of the needle, the length of its longest proper border (prefix that is also suffix). */
function borderLengths(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let i = 1; i < needle.length; i++) {
    while (length > 0 && needle.charCodeAt(i) !== needle.charCodeAt(length)) {
      length = borders[length - 1] ?? 0;
    }
    if (needle.charCodeAt(i) === needle.charCodeAt(length)) length++;
    borders[i] = length;
  }
  return borders;
}
