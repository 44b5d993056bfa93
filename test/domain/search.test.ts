// Contract, "List": `q` is a case-insensitive substring search; and no `q`
// makes it slow.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseFolded, Needle, WINDOW_CHARACTERS } from '../../src/core/domain/search.js';

const plain = (text: string, q: string) => text.toLowerCase().includes(q.toLowerCase());

function textMatcher(q: string): (text: string) => boolean {
  const needle = new Needle(q);
  return (text) => needle.indexIn(caseFolded(text)) !== -1;
}

const neverWaits = () => undefined;

describe('A needle', () => {
  it.each([
    ['Neema Mushi', 'NEEMA', true],
    ['Neema Mushi', 'a M', true],
    ['İstanbul', 'İSTANBUL', true],
    ['Straße', 'STRASSE', false],
    ['ΟΔΟΣ Α', 'οδος', true],
    ['οδος', 'ΟΔΟΣ', true],
    ['ΟΔΟΣΑ', 'ΟΔΟΣ', true],
    ['anything', '', true],
  ])('%j contains %j: %s', (text, q, expected) => {
    expect(textMatcher(q)(text)).toBe(expected);
  });

  it('agrees with a plain substring search on any texts, and on repetitive needles', () => {
    const any = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(any, any, (text, q) => text === '' || textMatcher(q)(text) === plain(text, q)),
    );
    // Few letters and many repetitions: every border of the needle matters.
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), minLength: 1, maxLength: 9 });
    const needle = fc.tuple(letters, fc.nat(120), letters).map(([a, n, b]) => a.repeat(n) + b);
    const filling = fc.array(letters, { maxLength: 20 });
    fc.assert(
      fc.property(needle, filling, fc.boolean(), (q, parts, planted) => {
        const text = [...parts, q.slice(0, -1), ...(planted ? [q.toLowerCase()] : [])].join('b');
        expect(textMatcher(q)(text)).toBe(plain(text, q));
      }),
      { numRuns: 500 },
    );
  });

  it.each([255, 256, 257, 300, 5000])('finds a needle of %i characters anywhere', (length) => {
    const letters = Array.from({ length }, (_, i) => String.fromCharCode(97 + ((i * i) % 23)));
    const needle = letters.join('');
    const [start, end] = [needle.slice(0, -1), needle.slice(1)];
    const found = [needle, `${end}${needle}`, `${needle}${start}`, `x${needle}x`];
    const missed = [end, `${start}?${end}`];
    const matches = textMatcher(needle.toUpperCase());
    expect([...found, ...missed].filter(matches)).toEqual(found);
  });

  it.each([
    ['short', 'ab', 'xabxab'],
    ['long', 'ab'.repeat(200), `x${'ab'.repeat(200)}x${'ab'.repeat(200)}`],
  ])('that is %s is found at its beginning, across two pieces of the text', (_name, q, text) => {
    const needle = new Needle(q);
    const second = text.length - q.length;
    expect(needle.indexIn(text)).toBe(1);
    expect(needle.indexIn(text, 2)).toBe(second);
    expect(needle.indexIn(text, 2, text.length - 1)).toBe(-1);
    expect(needle.indexIn(text, 1, 1 + q.length)).toBe(1);
    expect(needle.indexIn(text, 1, q.length)).toBe(-1);
  });

  it('with nested borders is found in a text that begins like it', () => {
    // Words of Fibonacci: every prefix has as many borders as a word can have.
    let [word, before] = ['ab', 'a'];
    while (word.length < 2_000) [word, before] = [word + before, word];
    const lengths = [257, 300, 377, 610, 700];
    for (const q of lengths.flatMap((length) => ['', 'c'].map((c) => word.slice(0, length) + c))) {
      const needle = new Needle(q);
      for (const start of [1, 5, 34, 89, 144, 233]) {
        const text = word.slice(start, start + q.length) + q;
        for (const of of [text, text.slice(0, -1)]) expect(needle.indexIn(of)).toBe(of.indexOf(q));
      }
    }
  });
});

describe('A search through a long text', () => {
  it.each([1, 2, 100, 300, 5_000])(
    'finds a needle of %i characters at every border of a window',
    async (length) => {
      const q = `${'n'.repeat(length - 1)}M`;
      const needle = new Needle(q);
      for (const end of [-1, 0, 1, length - 1, length, length + 1]) {
        const before = 'x'.repeat(2 * WINDOW_CHARACTERS - length + end);
        const after = 'x'.repeat(WINDOW_CHARACTERS);
        expect(await needle.isIn(`${before}${q.toUpperCase()}${after}`, neverWaits)).toBe(true);
        expect(await needle.isIn(`${before}${q.slice(0, -1)}${after}`, neverWaits)).toBe(false);
      }
    },
  );

  it('keeps the two halves of a character together', async () => {
    const letter = '\u{10400}';
    for (const before of [WINDOW_CHARACTERS - 1, WINDOW_CHARACTERS - 2]) {
      const text = `${'x'.repeat(before)}${letter}`;
      expect(await new Needle(letter.toLowerCase()).isIn(text, neverWaits)).toBe(true);
    }
  });

  it('gives way after each window', async () => {
    let turns = 0;
    const giveWay = async () => void turns++;
    expect(await new Needle('y').isIn('x'.repeat(10 * WINDOW_CHARACTERS), giveWay)).toBe(false);
    expect(turns).toBe(10);
  });
});

describe('a long needle', () => {
  /** How many characters are looked at, of the needle or the text. */
  function looks(search: () => unknown): number {
    const { charCodeAt } = String.prototype;
    let count = 0;
    String.prototype.charCodeAt = function (index) {
      count++;
      return charCodeAt.call(this, index);
    };
    try {
      search();
    } finally {
      String.prototype.charCodeAt = charCodeAt;
    }
    return count;
  }

  it.each([
    ['nearly matches everywhere', 'a', `${'a'.repeat(5000)}b`],
    ['breaks in its middle', 'a', `${'a'.repeat(2500)}b${'a'.repeat(2500)}`],
    ['repeats a pattern', 'ab', `${'ab'.repeat(2500)}c`],
    ['has borders within borders', 'aabaaab', `${'aabaaab'.repeat(700)}c`],
  ])('that %s costs a few comparisons for each character', (_name, unit, needle) => {
    const text = unit.repeat(Math.ceil(100_000 / unit.length));
    const linear = 6 * (text.length + needle.length);
    const search = new Needle(needle);
    const counted = looks(() => expect(search.indexIn(text)).toBe(-1));
    // Not fewer than one each: the count would mean nothing where the search is not seen.
    expect(counted).toBeGreaterThanOrEqual(text.length);
    expect(counted).toBeLessThanOrEqual(linear);
  });
});
