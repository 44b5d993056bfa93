// Contract, "Request body rules": one JSON object, at most 1 MiB, counted while
// it is read, whatever the headers say.

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/domain/errors.js';
import { REQUEST_BODY_MAX_BYTES } from '../../src/domain/limits.js';
import { readJsonObject, streamReader } from '../../src/http/request-body.js';
import { nextTask, Turns } from '../../src/records/turns.js';

const MAX = REQUEST_BODY_MAX_BYTES;

interface Source {
  readonly body: ReadableStream<Uint8Array>;
  readonly pulls: () => number;
  readonly cancelled: () => boolean;
}

/** A stream that hands out one chunk for each pull, prepares nothing, and counts. */
function source(chunks: Iterable<Uint8Array | Error>): Source {
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

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Far more than any limit here; a reader that goes on to the end gets an error instead. */
function* endless(chunk: Uint8Array): Generator<Uint8Array | Error> {
  for (let i = 0; i < 1000; i++) yield chunk;
  yield new Error('nobody stopped reading');
}

async function read(request: Request): Promise<Outcome<unknown>> {
  return readJsonObject(streamReader(request), nextTask);
}

function expectInvalid(outcome: Outcome<unknown>, message: RegExp) {
  expect(outcome).toMatchObject({ ok: false, failure: { code: 'INVALID_JSON' } });
  expect(!outcome.ok && outcome.failure.message).toMatch(message);
}

describe('streamReader', () => {
  it('joins many small chunks, characters cut in two included', async () => {
    const text = JSON.stringify({ note: 'aé✓😀'.repeat(500) });
    const chunks = Array.from(bytesOf(text), (byte) => Uint8Array.of(byte));
    expect(await read(post(source(chunks).body))).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it('joins empty chunks to nothing', async () => {
    const chunks = [new Uint8Array(), bytesOf('{'), new Uint8Array(), bytesOf('}')];
    expect(await read(post(source(chunks).body))).toEqual({ ok: true, value: {} });
  });

  it.each([1, 4096, MAX])('takes exactly the limit in chunks of %i bytes', async (size) => {
    const limit = Math.min(MAX, size * 1000);
    const whole = new Uint8Array(limit).fill(0x20);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < limit; at += size) chunks.push(whole.subarray(at, at + size));
    const bytes = await streamReader(post(source(chunks).body))(limit);
    expect(bytes && Buffer.compare(bytes, whole)).toBe(0);
  });

  it('stops reading at the chunk that passes the limit, and cancels the rest', async () => {
    const { body, pulls, cancelled } = source(endless(new Uint8Array(1000)));
    expect(await streamReader(post(body))(10_000)).toBeUndefined();
    expect(pulls()).toBe(11);
    expect(cancelled()).toBe(true);
  });

  it('reads no more than the first chunk where that is too long already', async () => {
    const { body, pulls, cancelled } = source(endless(new Uint8Array(10_001)));
    expect(await streamReader(post(body))(10_000)).toBeUndefined();
    expect(pulls()).toBe(1);
    expect(cancelled()).toBe(true);
  });

  it.each(['0', '2', '99999999', '-1', 'many'])(
    'counts bytes, not what Content-Length (%s) says',
    async (length) => {
      const headers = { 'Content-Length': length };
      const good = post(source([bytesOf('{"a":'), bytesOf('1}')]).body, headers);
      expect(await read(good)).toEqual({ ok: true, value: { a: 1 } });
      const large = post(source(endless(new Uint8Array(65_536).fill(0x20))).body, headers);
      expectInvalid(await read(large), /longer than 1048576 bytes/);
    },
  );

  it('has nothing to read where the request has no body', async () => {
    const request = new Request('http://localhost/', { method: 'POST' });
    expect(await streamReader(request)(10)).toHaveLength(0);
  });
});

describe('readJsonObject', () => {
  it('takes an object of exactly 1 MiB and refuses one byte more', async () => {
    const object = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect((await read(post(object(MAX)))).ok).toBe(true);
    expectInvalid(await read(post(object(MAX + 1))), /longer than/);
  });

  it('counts bytes, not characters', async () => {
    expectInvalid(await read(post(`{"a":"${'é'.repeat(MAX / 2)}"}`)), /longer than/);
  });

  it('answers a stream that breaks off', async () => {
    const { body } = source([bytesOf('{"a":1}'), new Error('connection reset by 10.0.0.7')]);
    const outcome = await read(post(body));
    expectInvalid(outcome, /broke off/);
    expect(JSON.stringify(outcome)).not.toContain('10.0.0.7');
  });

  it('answers a body that somebody has read already', async () => {
    const request = post('{}');
    await request.text();
    expectInvalid(await read(request), /broke off/);
  });

  it.each([
    ['nothing', [], /empty/],
    ['a lone continuation byte', [0x80], /UTF-8/],
    ['a cut character', [0x7b, 0xc3], /UTF-8/],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22], /UTF-8/],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], /UTF-8/],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00], /UTF-8/],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], /JSON/],
    ['NUL after the object', [0x7b, 0x7d, 0x00], /JSON/],
  ])('refuses %s', async (_name, bytes, message) => {
    expectInvalid(await readJsonObject(async () => Uint8Array.from(bytes), nextTask), message);
  });

  it('asks its reader for the limit of the contract', async () => {
    const asked: number[] = [];
    await readJsonObject(async (maxBytes) => {
      asked.push(maxBytes);
      return undefined;
    }, nextTask);
    expect(asked).toEqual([1_048_576]);
  });

  it('parses large bodies one by one, each in a turn of its own, and small ones at once', async () => {
    const gates: (() => void)[] = [];
    const turns = new Turns(() => new Promise((resolve) => gates.push(resolve)));
    const parsed: string[] = [];
    const reading = async (name: string, characters: number) => {
      const bytes = bytesOf(JSON.stringify({ a: 'x'.repeat(characters) }));
      await readJsonObject(
        async () => bytes,
        () => turns.next(),
      );
      parsed.push(name);
    };
    const all = Promise.all([reading('first', 100_000), reading('second', 100_000)]);
    await reading('small', 60_000);
    // Each waits for its parsing, and again for whatever comes after.
    for (const done of [[], [], [], ['first']]) {
      expect(parsed).toEqual(['small', ...done]);
      await expect.poll(() => gates.length, { timeout: 10_000 }).toBe(1);
      gates.pop()?.();
      await nextTask();
    }
    await all;
    expect(parsed).toEqual(['small', 'first', 'second']);
  });
});
