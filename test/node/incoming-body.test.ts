// The body off Node's stream: bytes are kept, the pieces that they came in are not.

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { incomingBody } from '../../src/hosts/node/incoming-body.js';

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

const PIECES = 5_000;

it('joins the bytes of a body that comes byte by byte', async () => {
  const source = Buffer.from(Array.from({ length: PIECES }, (_, i) => i % 251));
  const given: WeakRef<Buffer>[] = [];
  let kept = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let i = 0; i < PIECES; i++) {
      const piece = source.subarray(i, i + 1);
      given.push(new WeakRef(piece));
      yield piece;
    }
    // A reference looked at in this turn stays alive until its end.
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
    kept = given.filter((piece) => piece.deref() !== undefined).length;
  }
  const incoming = Readable.from(pieces(), { objectMode: false });
  const bytes = await incomingBody(incoming as unknown as IncomingMessage)(1_048_576);
  expect(Buffer.compare(bytes ?? Buffer.alloc(0), source)).toBe(0);
  expect(kept).toBeLessThan(PIECES / 10);
});

it.each([
  ['32 large pieces', 32, 32_768, 32],
  ['5,120 tiny pieces', 5_120, 2, 20],
])('leaves event-loop turns to others while it reads %s that are there', async (_, ...given) => {
  const [pieces, bytes, turnsMin] = given;
  const incoming = new Readable({ highWaterMark: pieces * bytes + 1, read() {} });
  for (let piece = 0; piece < pieces; piece++) incoming.push(Buffer.alloc(bytes, 'x'));
  incoming.push(null);
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns++;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const body = await incomingBody(incoming as unknown as IncomingMessage)(1_048_576);
  isRead = true;
  expect(body?.length).toBe(pieces * bytes);
  expect(turns).toBeGreaterThanOrEqual(turnsMin - 1);
});

it('releases a body that was handed over, although its request is kept', async () => {
  const incoming = Readable.from([Buffer.alloc(200_000, ' '), Buffer.alloc(200_000, ' ')], {
    objectMode: false,
  });
  const handed = await reading(incoming);
  // A reference looked at in this turn stays alive until its end.
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  expect(handed.deref() === undefined).toBe(true);
  expect(incoming.listenerCount('end')).toBeGreaterThan(0);
});

async function reading(incoming: Readable): Promise<WeakRef<Buffer>> {
  const bytes = await incomingBody(incoming as unknown as IncomingMessage)(1_048_576);
  expect(bytes?.length).toBe(400_000);
  return new WeakRef(bytes as Buffer);
}

it('is refused when the connection closed before the body was asked for', async () => {
  const incoming = new Readable({ read() {} });
  incoming.destroy();
  await new Promise((resolve) => incoming.once('close', resolve));
  const reading = incomingBody(incoming as unknown as IncomingMessage)(1_048_576);
  await expect(reading).rejects.toThrow('closed before the body was read');
});
