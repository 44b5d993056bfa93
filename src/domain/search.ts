// `q`: case-insensitive substring search over a record's JSON text.

/** Above this many characters `String.indexOf`, quadratic at its worst, gives way to a linear search. */
const INDEX_OF_MAX_CHARACTERS = 256;

/** Where a needle begins in a text that `caseFolded` made, looking from an index on; negative where it does not. */
export type Find = (folded: string, from: number) => number;

/** A test for texts that contain `q`, both sides lower-cased the same way. */
export function textMatcher(q: string): (text: string) => boolean {
  const find = finder(q);
  // Only a needle with a sigma can tell the two foldings apart, and one costs half of the other.
  const fold = caseFolded(q).includes('σ') ? caseFolded : lowerCased;
  return (text) => find(fold(text), 0) >= 0;
}

/** A search for `q`. Never a RegExp: `q` is the caller's text. */
export function finder(q: string): Find {
  const needle = caseFolded(q);
  if (needle.length <= INDEX_OF_MAX_CHARACTERS) {
    return (folded, from) => folded.indexOf(needle, from);
  }
  const borders = borderLengths(needle);
  return (folded, from) => indexOfLinear(folded, needle, borders, from);
}

/** Lower case, whatever surrounds a letter: `toLowerCase` alone turns a Σ at the end of a word into another letter. */
export function caseFolded(text: string): string {
  return lowerCased(text).replaceAll('ς', 'σ');
}

function lowerCased(text: string): string {
  return text.toLowerCase();
}

/** Knuth-Morris-Pratt: never looks at a character of `text` more than twice. */
function indexOfLinear(text: string, needle: string, borders: Int32Array, from: number): number {
  let matched = 0;
  for (let i = from; i < text.length; i++) {
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
