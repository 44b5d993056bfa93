// The response envelope as bytes (contract, "Response envelope", "Errors"): statuses, and long
// lists that are sent in pieces, as the client reads.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Admission } from '../../src/core/admission/admission.js';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { pagination } from '../../src/core/domain/listing.js';
import {
  type HandlerResult,
  list,
  type ResponseMeta,
  toResponse,
} from '../../src/core/http/envelope.js';
import { responseStream } from '../../src/core/http/response-stream.js';

const EXCHANGE: ResponseMeta = {
  requestId: 'req_0123456789abcdef',
  now: Date.UTC(2026, 0, 14, 13, 45, 0, 7),
  originHeaders: { 'Access-Control-Allow-Origin': '*' },
};
const META = '"request_id":"req_0123456789abcdef","timestamp":"2026-01-14T13:45:00.007Z"';

/** The maximum length of a piece, and the length above which a list is sent in pieces. */
const PIECE = 65_536;
const LARGE = 1_000_000;

/** The response to an account, which streams long lists. */
function answered(
  answer: HandlerResult,
  admission = new Admission(),
  account = 'neema',
  scheduler = new FairScheduler(),
): Response {
  const dependencies = { scheduler, admission };
  return toResponse(answer, EXCHANGE, { account, isDisconnected: () => false, dependencies });
}

const LIST_START = '{"data":['.length;

/** A JSON string of exactly this many characters. */
const filler = (characters: number) => `"${'x'.repeat(characters - 2)}"`;
/** If n is 2, the high surrogate is the last unit of the first piece. */
const pairAtBorder = (n: number) =>
  `"${'x'.repeat(PIECE - LIST_START - 4 + n)}😀${'y'.repeat(LARGE)}"`;

it.each<[string, readonly string[]]>([
  ['some items', ['{"a":1}', '{"a":2}', '{"a":3}']],
  ['very small items', Array.from({ length: 300_000 }, (_, i) => String(1000 + (i % 9000)))],
  ['small items and one large', ['1', filler(3 * PIECE), '2', filler(LARGE), '3']],
  ['a first piece that is exactly full', [filler(PIECE - LIST_START), filler(LARGE)]],
  ...[-1, 0, 1].map((more): [string, string[]] => [
    `items that are ${more} characters longer than a piece`,
    Array.from({ length: 16 }, () => filler(PIECE + more)),
  ]),
  ...[0, 1, 2, 3].map((n): [string, string[]] => [`a pair at the border, ${n}`, [pairAtBorder(n)]]),
  [
    'characters of one to four bytes',
    Array.from({ length: 30 }, (_, i) => `"${'aé✓😀'.repeat(10_000 + i)}"`),
  ],
])('A list sent in pieces equals one sent whole: %s', async (_name, items) => {
  const response = answered(list(items, pageOf(items)));
  // Decoded strictly: half a character would throw.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
  expect(text).toBe(wholeText(items));
});

const LONG = Array.from({ length: 40 }, (_, i) => `"${String(i % 10).repeat(100_000)}"`);

describe('A long list', () => {
  it('never holds more than a piece at a time', async () => {
    const sizes: number[] = [];
    for await (const { byteLength } of bodyOf(answered(list(LONG, pageOf(LONG))))) {
      sizes.push(byteLength);
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(PIECE);
    expect(sizes.length).toBeGreaterThan(LONG.length);
  });

  it('yields to others, even when it is read fast', async () => {
    // Each reading of the clock uses up a slice, so every piece waits for the account's turn.
    let now = 0;
    const scheduler = new FairScheduler({ stopwatch: () => (now += 2) });
    const next = vi.spyOn(scheduler, 'yield');
    const admission = new Admission();
    const response = answered(list(LONG, pageOf(LONG)), admission, 'neema', scheduler);
    expect(await response.text()).toBe(wholeText(LONG));
    expect(next.mock.calls.length).toBeGreaterThan(LONG.length);
    expect(new Set(next.mock.calls.map(([account]) => account))).toEqual(new Set(['neema']));
  });

  it('waits until its account has bytes left, and releases them', async () => {
    const limits = { accountMaxBytes: 1_200_000, totalMaxBytes: 3_000_000, ownShareBytes: 0 };
    const admission = new Admission(limits);
    const readers = [1, 2, 3].map(() =>
      bodyOf(answered(list(LONG, pageOf(LONG)), admission)).getReader(),
    );
    for (const reader of readers.slice(0, 2)) await reader.read();
    expect(admission.heldBytes).toBe(12 * PIECE);
    const third = readers[2]?.read();
    // Of another account.
    const response = answered(list(LONG, pageOf(LONG)), admission, 'juma');
    expect((await response.text()).length).toBe(wholeText(LONG).length);
    await readers[0]?.cancel();
    expect((await third)?.done).toBe(false);
    for (const reader of readers) await reader.cancel();
    expect(admission.heldBytes).toBe(0);
  });
});

function pageOf(items: readonly string[]) {
  return pagination({ page: 1, pageSize: 100 }, items.length);
}

function wholeText(items: readonly string[]): string {
  const page = JSON.stringify(pageOf(items));
  return `{"data":[${items.join(',')}],"meta":{${META},"pagination":${page}}}`;
}

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body === null) throw new Error('the response has no body');
  return body;
}

/** A reader of an account's streamed texts, which gets bytes and turns at once unless others hold them. */
function readerOf(
  texts: AsyncGenerator<string>,
  admission = new Admission(),
  isDisconnected = () => false,
) {
  const dependencies = { admission, scheduler: new FairScheduler({ stopwatch: () => 0 }) };
  return responseStream(texts, { account: 'neema', isDisconnected, dependencies }).getReader();
}

/** Endless texts: if reading continued without a reader, they would never be released. */
async function* endless(told: string[]) {
  try {
    while (told.push('made')) yield 'x'.repeat(100_000);
  } finally {
    told.push('released');
  }
}

it('A streamed response is generated as it is read, and released as soon as the client stops', async () => {
  const told: string[] = [];
  const reader = readerOf(endless(told));
  await setImmediate();
  expect(told).toEqual([]);
  await reader.read();
  await setImmediate();
  expect(told).toEqual(['made']);
  await reader.cancel();
  expect(told).toEqual(['made', 'released']);
});

it('A streamed response that is not read within 15 s releases its bytes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const admission = new Admission();
  const told: string[] = [];
  const reader = readerOf(endless(told), admission);
  await reader.read();
  expect(admission.heldBytes).toBe(HELD_BYTES);
  await vi.advanceTimersByTimeAsync(RESPONSE_WRITE_TIMEOUT_MS);
  vi.useRealTimers();
  await expect(reader.read()).rejects.toThrow('not read in time');
  expect([admission.heldBytes, told.at(-1)]).toEqual([0, 'released']);
});

/** As much as one stream holds, so the account's second stream waits. */
const HELD_BYTES = 393_216;

it.each([
  [PIECE, 0],
  [PIECE + 1, HELD_BYTES],
])('A list of %i characters holds %i bytes while it is read', async (characters, held) => {
  const admission = new Admission();
  const items = [filler(characters - '['.length)];
  const reader = bodyOf(answered(list(items, pageOf(items)), admission)).getReader();
  await reader.read();
  expect(admission.heldBytes).toBe(held);
  await reader.cancel();
});

it('A streamed response that is cancelled as its bytes are granted releases them', async () => {
  const admission = new Admission({ accountMaxBytes: 1.5 * HELD_BYTES, ownShareBytes: 0 });
  void admission.acquire('neema', HELD_BYTES, () => false);
  const reader = readerOf(endless([]), admission);
  const reading = reader.read();
  // A stream pulls its first piece in a later turn.
  await setImmediate();
  admission.release('neema', HELD_BYTES);
  await reader.cancel();
  expect(await reading).toEqual({ done: true, value: undefined });
  expect(admission.heldBytes).toBe(0);
});

it('A streamed response reserves no bytes for a client that disconnected while it waited', async () => {
  const admission = new Admission({ accountMaxBytes: 1.5 * HELD_BYTES, ownShareBytes: 0 });
  void admission.acquire('neema', HELD_BYTES, () => false);
  let isGone = false;
  const reading = readerOf(endless([]), admission, () => isGone).read();
  await setImmediate();
  isGone = true;
  admission.release('neema', HELD_BYTES);
  await expect(reading).rejects.toThrow();
  expect(admission.heldBytes).toBe(0);
});
