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
  it('agrees with a plain substring search on any texts', () => {
    const any = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(any, any, (text, q) => text === '' || textMatcher(q)(text) === plain(text, q)),
    );
  });

  it.each([
    ['short', 'ab', 'xabxab'],
    ['long', 'ab'.repeat(200), `x${'ab'.repeat(200)}x${'ab'.repeat(200)}`],
  ])('that is %s is found at its start, across two pieces of the text', (_name, q, text) => {
    const needle = new Needle(q);
    const second = text.length - q.length;
    expect(needle.indexIn(text)).toBe(1);
    expect(needle.indexIn(text, 2)).toBe(second);
    expect(needle.indexIn(text, 2, text.length - 1)).toBe(-1);
    expect(needle.indexIn(text, 1, 1 + q.length)).toBe(1);
    expect(needle.indexIn(text, 1, q.length)).toBe(-1);
  });
});

describe('A search through a long text', () => {
  it.each([1, 2, 100, 300, 5_000])(
    'finds a needle of %i characters across every window boundary',
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

  it('never splits a surrogate pair', async () => {
    const letter = '\u{10400}';
    for (const before of [WINDOW_CHARACTERS - 1, WINDOW_CHARACTERS - 2]) {
      const text = `${'x'.repeat(before)}${letter}`;
      expect(await new Needle(letter.toLowerCase()).isIn(text, neverWaits)).toBe(true);
    }
  });

  it('yields after each window', async () => {
    let turns = 0;
    const giveWay = async () => void turns++;
    expect(await new Needle('y').isIn('x'.repeat(10 * WINDOW_CHARACTERS), giveWay)).toBe(false);
    expect(turns).toBe(10);
  });
});

it('A long needle is searched in shorter windows, so that each costs as little as one for a short needle', () => {
  const windows = [1, 64, 256, 8_000, 1_000_000].map(
    (length) => new Needle('x'.repeat(length)).window,
  );
  expect(windows).toEqual([32_768, 32_768, 8_192, 262, 256]);
});
