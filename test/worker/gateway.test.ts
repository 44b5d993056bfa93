// The gateway: what it makes of a write whose sender has gone; and a page on its way from an object,
// whose texts all arrive as they were sent, however the bytes are cut.

import { expect, it } from 'vitest';
import { failed, succeeded } from '../../src/core/domain/errors.js';
import { areTexts } from '../../src/core/domain/listing.js';
import type { Sender } from '../../src/core/records/record-service.js';
import type { AccountStub, Caller } from '../../src/hosts/workers/account-call.js';
import { gatewayRecords, type Objects } from '../../src/hosts/workers/gateway-records.js';
import { receivedPage, type SentPage, sentPage } from '../../src/hosts/workers/sent-page.js';
import { keptLog } from '../support/kept-log.js';

it('The gateway makes each write of a sender that waits or is unknown, and of no other', async () => {
  const calls: unknown[] = [];
  const get = (_: AccountStub, method: string) => async (caller: Caller) => {
    calls.push([method, caller.owner, caller.actor]);
    return succeeded('{}');
  };
  const stub = new Proxy({} as AccountStub, { get } as ProxyHandler<AccountStub>);
  const objects = { account: () => stub } as Partial<Objects> as Objects;
  const writes = (sender?: Sender) => {
    const account = gatewayRecords(objects, keptLog()).account('neema', sender);
    const [create, update] = [account.create('customers', '{}'), account.update('team', 'a', '{}')];
    return Promise.all([create, update, account.delete('customers', 'CUS-0001')]);
  };
  for (const actor of ['admin', undefined] as const) {
    const sender = actor && { isDisconnected: () => false, actor };
    expect(await writes(sender)).toEqual(Array(3).fill(succeeded('{}')));
    const made = ['create', 'update', 'delete'].map((method) => [method, 'neema', actor]);
    expect(calls.splice(0)).toEqual(made);
  }
  const refused = failed('BAD_REQUEST', 'the connection was closed before the change was made');
  expect(await writes({ isDisconnected: () => true })).toEqual(Array(3).fill(refused));
  expect(calls).toEqual([]);
});

const LARGE = 600_000;
const SMALL = ['{"name":"Ñ💇🏾‍♀️ \\u001e \\u0000","spaced" :\n1}', '{}'];
const TEXTS = [`"${'x'.repeat(LARGE)}"`, ...SMALL, `"${'é😀'.repeat(LARGE / 2)}"`, '1'];

/** The page as it arrives when its bytes come in pieces of this size. */
function cut({ total, joined }: SentPage, size: number): SentPage {
  if (joined === undefined) throw new Error('the page was not streamed');
  const cutter = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      for (let start = 0; start < bytes.length; start += size) {
        controller.enqueue(bytes.subarray(start, start + size));
      }
    },
  });
  return { total, joined: joined.pipeThrough(cutter) };
}

/** The comma-separated text of the page's rows. */
async function textOf(page: SentPage): Promise<string> {
  const { items } = receivedPage(page);
  if (areTexts(items)) return items.join(',');
  let text = '';
  for await (const piece of items) text += piece;
  return text;
}

it('A page of little text is sent as one value; one without texts is refused', () => {
  const page = { items: ['{}', '1'], total: 7 };
  expect(sentPage(page)).toEqual(page);
  expect(receivedPage(sentPage(page))).toEqual(page);
  expect(() => receivedPage({ total: 1 })).toThrow('without its texts');
});

it('A long page, and one that is made while it is sent, arrive whole however they are cut', async () => {
  const large = cut(sentPage({ items: TEXTS, total: 9 }), 4_097);
  expect([await textOf(large), receivedPage(large).total]).toEqual([TEXTS.join(','), 9]);
  // Byte by byte, although characters have several.
  const items = (async function* () {
    yield* SMALL.join(',');
  })();
  expect(await textOf(cut(sentPage({ items, total: 2 }), 1))).toBe(SMALL.join(','));
});

it('A page is made while it is read, and short rows share a piece, because each costs the same', async () => {
  const row = `{"id":"PAY-0001","customer":"${'x'.repeat(180)}"}`;
  let drawn = 0;
  const items = (async function* () {
    for (; drawn < 5_000; drawn++) yield drawn === 0 ? row : `,${row}`;
  })();
  const { joined } = sentPage({ items, total: 5_000 });
  const sizes: number[] = [];
  for await (const piece of joined ?? []) {
    if (sizes.length === 0) expect(drawn).toBeLessThan(1_000);
    sizes.push(piece.length);
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBe(5_000 * (row.length + 1) - 1);
  expect(sizes.length).toBeLessThanOrEqual(Math.ceil(bytes / (65_536 - row.length)));
});
