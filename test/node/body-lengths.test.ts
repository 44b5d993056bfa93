// Contract, "Request body rules" and "Limits", as bytes on a socket: 1 MiB to the byte in
// every framing, lengths that lie, and bodies that leave no memory behind.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REQUEST_BODY_MAX_BYTES } from '../../src/core/domain/limits.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const BUSINESSES = '/api/v1/businesses';
const CLOSE = 'Connection: close';
const CHUNKED = 'Transfer-Encoding: chunked';
const MAX = REQUEST_BODY_MAX_BYTES;
const BROKEN_OFF_BODIES = 40;
/** Memory that these may leave behind: a seventh of the bodies. */
const HEAP_GROWTH_MAX_BYTES = 8_000_000;
const HEAP_LOOKS_MAX = 40;

const PROBE = new URL('heap-probe.js', import.meta.url).href;

let service: NodeService;
let server: ServerProcess;
let origin: string;

beforeAll(async () => {
  service = await openNodeService();
  const nodeOptions = ['--expose-gc', '--import', PROBE];
  server = await service.start({ AUTH_CACHE_SECONDS: '300' }, { nodeOptions, hasChannel: true });
  ({ origin } = server);
});
afterAll(() => service.close());

function heapBytes(): Promise<number> {
  return new Promise((resolve) => {
    server.child.once('message', (bytes) => resolve(Number(bytes)));
    server.child.send({});
  });
}

/** The beginning of a create by an account. */
function head(account: string, framing: string): string {
  return requestText('POST', BUSINESSES, [bearer(account), framing]);
}

/** An object of exactly so many bytes. */
function bodyOf(length: number): string {
  return `{"note":"${'x'.repeat(length - '{"note":""}'.length)}"}`;
}

function inChunks(body: string, pieceBytes: number): string {
  let text = '';
  for (let start = 0; start < body.length; start += pieceBytes) {
    const piece = body.slice(start, start + pieceBytes);
    text += `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }
  return `${text}0\r\n\r\n`;
}

async function totalOf(account: string): Promise<number | undefined> {
  const text = requestText('GET', `${BUSINESSES}?page_size=1`, [bearer(account), CLOSE]);
  const [answer] = await rawExchange(origin, text);
  return answer?.json.meta.pagination.total;
}

describe('A body around 1 MiB', () => {
  it.each([
    [MAX - 1, 201],
    [MAX, 201],
    [MAX + 1, 400],
    [MAX + 70_000, 400],
  ])(
    'of %i bytes is answered %i, by its length and in chunks of any size',
    async (length, status) => {
      const account = `edge-${length}`;
      const body = bodyOf(length);
      const texts = [length, 65_536, 65_535, 1_000].map(
        (pieceBytes) =>
          requestText('POST', BUSINESSES, [bearer(account), CLOSE, CHUNKED]) +
          inChunks(body, pieceBytes),
      );
      texts.push(requestText('POST', BUSINESSES, [bearer(account), CLOSE], body));
      for (const text of texts) {
        expect((await rawExchange(origin, text)).map((answer) => answer.status)).toEqual([status]);
      }
      expect(await totalOf(account)).toBe(status === 201 ? texts.length : 0);
    },
  );
});

describe('A length that lies', () => {
  const body = '{"note":"complete"}';
  const length = (bytes: number | string) => head('lies', `Content-Length: ${bytes}`);
  const chunks = head('lies', CHUNKED);

  it.each([
    ['a length that is too long', length(body.length + 1) + body],
    ['a length of 1 GiB', length(2 ** 30) + body],
    ['chunks without their end', `${chunks}13\r\n${body}\r\n`],
    ['a chunk that is too long', `${chunks}ff\r\n${body}\r\n0\r\n\r\n`],
  ])('stores nothing when the client ends its side: %s', async (_what, text) => {
    const connection = openRaw(origin, text);
    connection.socket.end();
    await connection.over;
    expect(await totalOf('lies')).toBe(0);
  });
});

describe('No memory is kept', () => {
  /** Connections free their buffers a moment after their end, so a look is repeated. */
  async function expectFreed(before: number): Promise<void> {
    const growth = async () => (await heapBytes()) - before;
    let grown = await growth();
    for (let look = 1; grown >= HEAP_GROWTH_MAX_BYTES && look < HEAP_LOOKS_MAX; look++) {
      await delay(250);
      grown = await growth();
    }
    expect(grown).toBeLessThan(HEAP_GROWTH_MAX_BYTES);
  }

  it('of bodies that break off before their end', async () => {
    const begin = async () => {
      const part = bodyOf(MAX).slice(0, -1_000);
      const connection = openRaw(origin, head('gone', `Content-Length: ${MAX}`) + part);
      while (connection.socket.writableLength > 0) await delay(1);
      connection.socket.destroy();
      await connection.over;
    };
    await begin();
    const before = await heapBytes();
    for (let i = 0; i < BROKEN_OFF_BODIES; i++) await begin();
    await expectFreed(before);
    expect(await totalOf('gone')).toBe(0);
  });
});
