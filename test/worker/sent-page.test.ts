// A page on its way between two machines: every text arrives as it was sent,
// however the bytes are cut on the way.

import { describe, expect, it } from 'vitest';
import { areTexts } from '../../src/core/domain/listing.js';
import { receivedPage, type SentPage, sentPage } from '../../src/hosts/workers/sent-page.js';

const LARGE = 600_000;
const TEXTS = [
  `"${'x'.repeat(LARGE)}"`,
  '{"name":"Ñ💇🏾‍♀️ \\u001e \\u0000","spaced" :\n1}',
  '{}',
  `"${'é😀'.repeat(LARGE / 2)}"`,
  '1',
];

/** The page as it arrives when its bytes come in pieces of this size. */
function cut(page: SentPage, size: number): SentPage {
  if (page.joined === undefined) throw new Error('the page was not streamed');
  const cutter = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      for (let start = 0; start < bytes.length; start += size) {
        controller.enqueue(bytes.subarray(start, start + size));
      }
    },
  });
  return { total: page.total, joined: page.joined.pipeThrough(cutter) };
}

/** The comma-separated text of the page's rows. */
async function textOf(page: SentPage): Promise<string> {
  const { items } = receivedPage(page);
  if (areTexts(items)) return items.join(',');
  let text = '';
  for await (const piece of items) text += piece;
  return text;
}

describe('A page between two machines', () => {
  it('of little text is sent as one value', () => {
    const page = { items: ['{}', '1'], total: 7 };
    expect(sentPage(page)).toEqual(page);
    expect(receivedPage(sentPage(page))).toEqual(page);
  });

  it.each([1_000, 4_097, 65_536, 10_000_000])(
    'arrives complete in pieces of %i bytes',
    async (size) => {
      const sent = cut(sentPage({ items: TEXTS, total: 9 }), size);
      expect((await textOf(sent)) === TEXTS.join(',')).toBe(true);
      expect(receivedPage(sent).total).toBe(9);
    },
  );

  it('arrives complete byte by byte when characters have several bytes', async () => {
    const small = TEXTS.slice(1, 3);
    const items = (async function* () {
      yield* small.join(',');
    })();
    expect(await textOf(cut(sentPage({ items, total: 2 }), 1))).toBe(small.join(','));
  });

  it('is made while it is read', async () => {
    let drawn = 0;
    const items = (async function* () {
      for (const text of TEXTS) {
        drawn++;
        yield text;
      }
    })();
    const received = receivedPage(sentPage({ items, total: 5 })).items as AsyncIterable<string>;
    const iterator = received[Symbol.asyncIterator]();
    await iterator.next();
    expect(drawn).toBeLessThan(TEXTS.length);
  });

  it('of many short rows comes in few pieces, because each costs the same', async () => {
    const row = `{"id":"PAY-0001","customer":"${'x'.repeat(180)}"}`;
    const items = (async function* () {
      for (let i = 0; i < 5_000; i++) yield i === 0 ? row : `,${row}`;
    })();
    const { joined } = sentPage({ items, total: 5_000 });
    let [pieces, bytes] = [0, 0];
    for await (const piece of joined ?? []) {
      pieces++;
      bytes += piece.length;
    }
    expect(bytes).toBe(5_000 * (row.length + 1) - 1);
    expect(pieces).toBeLessThanOrEqual(Math.ceil(bytes / (65_536 - row.length)));
  });

  it('without texts is refused', () => {
    expect(() => receivedPage({ total: 1 })).toThrow('without its texts');
  });
});
