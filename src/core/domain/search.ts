// `q`: case-insensitive substring search over a record's JSON text.

/** How much of a text is folded or searched at once, which takes less than a millisecond. */
export const WINDOW_CHARACTERS = 32_768;
/** At worst, `indexOf` compares each character with the whole needle. This many comparisons take about two milliseconds. */
const COMPARISONS_MAX = 2_097_152;

/** Called between two steps of long work. Resolves in the account's next time slice if this one is used up. */
export type YieldIfNeeded = () => Promise<void> | undefined;

/** The text that a search looks for, case-folded. */
export class Needle {
  readonly text: string;
  /** How many characters of a text are searched at once: fewer for a long needle. */
  readonly window: number;

  /** `q`: the client's text, never a regular expression. */
  constructor(q: string) {
    this.text = caseFolded(q);
    const most = Math.floor(COMPARISONS_MAX / this.text.length);
    this.window = Math.max(256, Math.min(WINDOW_CHARACTERS, most));
  }

  /** Index of the first occurrence in a folded text between two indexes; -1 if there is none. */
  indexIn(folded: string, from = 0, to = folded.length): number {
    const whole = from === 0 && to >= folded.length;
    const at = (whole ? folded : folded.slice(from, to)).indexOf(this.text);
    return at === -1 ? -1 : from + at;
  }

  /** Whether a text of any length contains the needle; yields after each window. */
  async isIn(text: string, yieldIfNeeded: YieldIfNeeded): Promise<boolean> {
    let overlap = '';
    for (let start = 0; start < text.length; ) {
      const end = cutPoint(text, start + this.window);
      const folded = overlap + caseFolded(text.slice(start, end));
      if (this.indexIn(folded) !== -1) return true;
      overlap = this.text.length > 1 ? folded.slice(1 - this.text.length) : '';
      start = end;
      const turn = yieldIfNeeded();
      if (turn !== undefined) await turn;
    }
    return false;
  }
}

/** Lower case, independent of neighbouring letters: `toLowerCase` turns Σ into ς at the end of a word, and into σ elsewhere. */
export function caseFolded(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Where to cut a text: at `end`, or before it to avoid splitting a surrogate pair. */
export function cutPoint(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
