// Reading a body from Node's stream: its bytes are kept, its chunks are not.

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { incomingBody } from '../../src/hosts/node/incoming-body.js';

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

const read = (incoming: Readable) =>
  incomingBody(incoming as unknown as IncomingMessage)(1_048_576);

it.each([
  [32, 32_768],
  [8_192, 1],
])('Reading a body yields to others, in %i chunks of %i bytes', async (pieces, bytes) => {
  const incoming = new Readable({ highWaterMark: pieces * bytes + 1, read() {} });
  for (let piece = 0; piece < pieces; piece++) incoming.push(Buffer.alloc(bytes, 'x'));
  incoming.push(null);
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const body = await read(incoming);
  clearImmediate(timer);
  expect(body?.length).toBe(pieces * bytes);
  expect(turns).toBeGreaterThanOrEqual(31);
});

it('A body that was handed over is released, even if its request is kept', async () => {
  const pieces = [Buffer.alloc(200_000, ' '), Buffer.alloc(200_000, ' ')];
  const incoming = Readable.from(pieces, { objectMode: false });
  const handed = await read(incoming).then((bytes) => new WeakRef(bytes as Buffer));
  // A reference that is read in this turn stays alive until the turn ends.
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  expect(handed.deref() === undefined).toBe(true);
  expect(incoming.listenerCount('end')).toBeGreaterThan(0);
});

it('A body is refused if the connection closes before it is requested, or before it ends', async () => {
  const incoming = new Readable({ read() {} });
  incoming.push('{"note":"complete"}');
  const body = read(incoming);
  incoming.destroy();
  await expect(body).rejects.toThrow('closed before the body ended');
  await expect(read(incoming)).rejects.toThrow('closed before the body was read');
});
