// Requests that do not arrive: contract, "Limits" (header read time-out 5 s,
// request read time-out 15 s). All at the same time, since each takes that long.
// No end comes early.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEADER_READ_TIMEOUT_MS, REQUEST_READ_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import {
  COMMON_HEADERS,
  openRaw,
  type RawAnswer,
  type RawConnection,
  requestText,
} from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

let service: NodeService;
let server: ServerProcess;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start();
});
afterAll(() => service.close());

const HEALTH = '/api/v1/health';
const ORDERS = '/api/v1/orders';
const MINE = bearer('slow');

function expectTimeout(answer: RawAnswer | undefined): void {
  expect(answer?.statusLine).toBe('HTTP/1.1 408 Request Timeout');
  expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
    ...COMMON_HEADERS,
    connection: 'close',
  });
  expect(answer?.json.error?.code).toBe('REQUEST_TIMEOUT');
  expect(answer?.json.meta.request_id).toBe(answer?.headers.get('x-request-id'));
}

/** Sends one more byte every second, as a client that is slow and not gone. */
function trickle(connection: RawConnection, byte: string): void {
  const timer = setInterval(() => connection.send(byte), 1_000);
  connection.over.then(() => clearInterval(timer));
}

/** Timers may fire a little early by this process's clock. */
const EARLY_MAX_MS = 500;

async function expectOver(connection: RawConnection, limitMs: number) {
  const { afterMs } = await connection.over;
  expect(afterMs).toBeGreaterThan(limitMs - EARLY_MAX_MS);
}

for (const [what, text, ...before] of [
  ['nothing', ''],
  ['half a request line', 'GET /api'],
  ['half a header', `GET ${HEALTH} HTTP/1.1\r\nHost: a\r\nX-Half`],
  ['half a second request', `${requestText('GET', HEALTH)}GET /api`, 200],
] as const) {
  it.concurrent(`A connection with ${what} is answered 408 at 5 s`, async () => {
    const connection = openRaw(server.origin, text);
    await expectOver(connection, HEADER_READ_TIMEOUT_MS);
    expect(connection.answers().map(({ status }) => status)).toEqual([...before, 408]);
    expectTimeout(connection.answers().at(-1));
  });
}

it.concurrent('Clients are told of an idle connection’s end a second before its 60 s', async () => {
  const connection = openRaw(server.origin, requestText('GET', HEALTH));
  await connection.until(({ answers }) => answers().length === 1);
  // Node lets it live a second longer than it says.
  expect(connection.answers()[0]?.headers.get('keep-alive')).toBe('timeout=59');
  connection.socket.destroy();
});

for (const [what, framing, start, more] of [
  ['with its length', 'Content-Length: 100', '{', ' '],
  ['in chunks', 'Transfer-Encoding: chunked', '1\r\n{\r\n', '1\r\n \r\n'],
] as const) {
  it.concurrent(`A body ${what} that trickles in is answered 408 at 15 s with its own id`, async () => {
    const head = requestText('POST', ORDERS, [MINE, framing, 'X-Request-ID: slow \xe9']);
    const connection = openRaw(server.origin, head + start);
    trickle(connection, more);
    await expectOver(connection, REQUEST_READ_TIMEOUT_MS);
    expect(connection.answers()).toHaveLength(1);
    expectTimeout(connection.answers()[0]);
    expect(connection.answers()[0]?.headers.get('x-request-id')).toBe('slow \xe9');
  });
}

it.concurrent('A slow body that is not read gets one answer and no second one at 15 s', async () => {
  const connection = openRaw(server.origin, requestText('POST', ORDERS, ['Content-Length: 9']));
  await connection.until(({ answers }) => answers().length === 1);
  await expectOver(connection, REQUEST_READ_TIMEOUT_MS);
  expect(connection.answers().map((answer) => answer.status)).toEqual([401]);
});

it.concurrent('A client may go on sending what is refused and keep its connection', async () => {
  const connection = openRaw(
    server.origin,
    `${requestText('POST', ORDERS, ['Content-Length: 3'])}a`,
  );
  await connection.until(({ answers }) => answers().length === 1);
  // The HTTP adapter would by default cut such a client off after half a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  connection.send(`bc${requestText('GET', HEALTH, ['Connection: close'])}`);
  await connection.over;
  expect(connection.answers().map(({ status }) => status)).toEqual([401, 200]);
});
