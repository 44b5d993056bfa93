// Contract, "Request body rules": at most 1 MiB of UTF-8, counted while
// it is read, whatever the headers say.

import { describe, expect, it } from 'vitest';
import { boundedBody } from '../../src/core/bounded-body.js';
import type { Outcome } from '../../src/core/domain/errors.js';
import { REQUEST_BODY_MAX_BYTES } from '../../src/core/domain/limits.js';
import { bodyMaxBytes, readBodyText } from '../../src/core/http/request-body.js';

const MAX = REQUEST_BODY_MAX_BYTES;

/** A stream that enqueues one chunk per pull, none in advance, and counts them. */
function source(chunks: Iterable<Uint8Array | Error>) {
  const iterator = chunks[Symbol.iterator]();
  let pulls = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls++;
        const { done, value } = iterator.next();
        if (done) controller.close();
        else if (value instanceof Error) controller.error(value);
        else controller.enqueue(value);
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, pulls: () => pulls, cancelled: () => cancelled };
}

function post(body: BodyInit, headers: Record<string, string> = {}): Request {
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
  return new Request('http://localhost/', init);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Far more than any limit here; a reader that continues to the end gets an error instead. */
function* endless(chunk: Uint8Array): Generator<Uint8Array | Error> {
  for (let i = 0; i < 1000; i++) yield chunk;
  yield new Error('the reader did not stop');
}

const bounded = (body: BodyInit, maxBytes: number) => boundedBody(post(body).body, maxBytes);
const read = ({ body }: Request) => readBodyText((maxBytes) => boundedBody(body, maxBytes));

function expectInvalid(outcome: Outcome<unknown>, message: RegExp) {
  expect(outcome).toMatchObject({ ok: false, failure: { code: 'INVALID_JSON' } });
  expect(!outcome.ok && outcome.failure.message).toMatch(message);
}

describe('boundedBody', () => {
  it.each([
    [1_000, 11],
    [10_001, 1],
  ])('stops at the chunk of %i bytes that passes the limit, and cancels', async (size, read) => {
    const { body, pulls, cancelled } = source(endless(new Uint8Array(size)));
    expect(await bounded(body, 10_000)).toBeUndefined();
    expect([pulls(), cancelled()]).toEqual([read, true]);
  });

  it.each(['2', '99999999', 'many'])('ignores Content-Length (%s)', async (length) => {
    const headers = { 'Content-Length': length };
    const good = post(source([bytesOf('{"a":'), bytesOf('1}')]).body, headers);
    expect(await read(good)).toEqual({ ok: true, value: '{"a":1}' });
    const large = post(source(endless(new Uint8Array(65_536).fill(0x20))).body, headers);
    expectInvalid(await read(large), /longer than 1048576 bytes/);
  });
});

describe('readBodyText', () => {
  it('refuses a stream that fails', async () => {
    const { body } = source([bytesOf('{"a":1}'), new Error('connection reset by 10.0.0.7')]);
    const outcome = await read(post(body));
    expectInvalid(outcome, /ended early/);
    expect(JSON.stringify(outcome)).not.toContain('10.0.0.7');
  });

  it('waits for a turn before it decodes a large body, and decodes a small one at once', async () => {
    const waited: number[] = [];
    for (const length of [2, 65_536, 65_537, MAX]) {
      const body = async () => new Uint8Array(length).fill(0x20);
      await readBodyText(body, async () => void waited.push(length));
    }
    expect(waited).toEqual([65_537, MAX]);
  });
});

it('A body reserves the bytes of its Content-Length while it is read, or the maximum without one', () => {
  const of = (length: string) =>
    bodyMaxBytes({ headers: new Headers({ 'Content-Length': length }) });
  expect(['17', '0', '1048577', '-1'].map(of)).toEqual([17, 0, MAX, MAX]);
  expect(bodyMaxBytes({ headers: new Headers() })).toBe(MAX);
});
