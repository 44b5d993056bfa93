// `q`: case-insensitive substring search over a record's JSON text.

/** Above this many characters `String.includes`, quadratic at its worst, gives way to a linear search. */
const INCLUDES_MAX_CHARACTERS = 256;

/**
 * A test for texts that contain `q`, both sides lower-cased the same way.
 * Never a RegExp: `q` is the caller's text.
 */
export function textMatcher(q: string): (text: string) => boolean {
  const needle = caseFolded(q);
  // Only a needle with a sigma can tell the two foldings apart, and one costs half of the other.
  const fold = needle.includes('σ') ? caseFolded : lowerCased;
  if (needle.length <= INCLUDES_MAX_CHARACTERS) {
    return (text) => fold(text).includes(needle);
  }
  const borders = borderLengths(needle);
  return (text) => includesLinear(fold(text), needle, borders);
}

/** Lower case, whatever surrounds a letter: `toLowerCase` alone turns a Σ at the end of a word into another letter. */
function caseFolded(text: string): string {
  return lowerCased(text).replaceAll('ς', 'σ');
}

function lowerCased(text: string): string {
  return text.toLowerCase();
}

/** Knuth-Morris-Pratt: never looks at a character of `text` more than twice. */
function includesLinear(text: string, needle: string, borders: Int32Array): boolean {
  let matched = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched++;
    if (matched === needle.length) return true;
  }
  return false;
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
