// Bytes that aren't a request, and unusual requests: every response has the "Common headers".
// Targets, hosts and framings that two parsers may read differently are refused. Also late
// requests: contract, "Limits" (header read time-out 5 s, request read time-out 15 s); none ends
// early. These run concurrently, since each takes that long.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEADER_READ_TIMEOUT_MS, REQUEST_READ_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import {
  COMMON_HEADERS,
  openRaw,
  type RawAnswer,
  type RawConnection,
  rawExchange,
  requestText,
} from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const KEY = 'operator'.padEnd(32, '-');
let service: NodeService;
let server: ServerProcess;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start({ ADMIN_API_KEY: KEY });
});
afterAll(() => service.close());

const HEALTH = '/api/v1/health';
const ORDERS = '/api/v1/orders';
const CLOSE = 'Connection: close';
const MINE = bearer('limits');
const CHUNKED = 'Transfer-Encoding: chunked';
const OWN_ID = 'X-Request-ID: mine\r\n';

/** The envelope, the common headers and a complete status line; the id is the client's if it could be read. */
function expectEnvelope(answer: RawAnswer | undefined, statusLine: string, code: string): void {
  expect(answer?.statusLine).toBe(`HTTP/1.1 ${statusLine}`);
  const headers = answer?.headers;
  expect(Object.fromEntries(headers ?? [])).toMatchObject({
    ...COMMON_HEADERS,
    connection: 'close',
    'content-length': String(answer?.body.length),
  });
  expect(Date.parse(headers?.get('date') ?? '')).toBeGreaterThan(0);
  expect(answer?.json.error).toEqual({ code, message: expect.any(String) });
  expect(answer?.json.meta.request_id).toBe(headers?.get('x-request-id'));
  expect(answer?.json.meta.request_id).toMatch(/./);
}

const BAD = ['400 Bad Request', 'BAD_REQUEST'] as const;
const BAD_METHOD = ['405 Method Not Allowed', 'METHOD_NOT_ALLOWED'] as const;
const TIMEOUT = ['408 Request Timeout', 'REQUEST_TIMEOUT'] as const;
const TOO_LARGE = ['431 Request Header Fields Too Large', 'HEADERS_TOO_LARGE'] as const;

describe('A message that is not a request', () => {
  const GET = `GET ${HEALTH} HTTP/1.1\r\n`;
  const END = `${OWN_ID}${CLOSE}\r\n\r\n`;

  it.each([
    ['a request line without a target', 'GET\r\n\r\n', ...BAD_METHOD],
    ['a header without a colon', `${GET}Host: a\r\nbroken\r\n\r\n`, ...BAD],
    ['chunks that are not the last coding', requestText('POST', ORDERS, [`${CHUNKED}, x`]), ...BAD],
    ['large headers', requestText('GET', HEALTH, [`X: ${'a'.repeat(20_000)}`]), ...TOO_LARGE],
    ['an invalid Host', `${GET}Host: a b\r\n${END}`, ...BAD],
    ['a Host with a path', `${GET}Host: a/b\r\n${END}`, ...BAD],
    ['two Hosts', `${GET}Host: a\r\nhost: a\r\n${END}`, ...BAD],
    ['no Host', `${GET}${END}`, ...BAD],
    ['the target *', `GET * HTTP/1.1\r\nHost: a\r\n${END}`, ...BAD],
    ['an invalid absolute target', `GET http://[ HTTP/1.1\r\nHost: a\r\n${END}`, ...BAD],
    ['a backslash in the path', `GET ${HEALTH}\\x HTTP/1.1\r\nHost: a\r\n${END}`, ...BAD],
    ['a tunnel', `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n${END}`, ...BAD_METHOD],
    ['an unknown method', requestText('BREW', ORDERS), ...BAD_METHOD],
    ['a method in lower case', requestText('patch', ORDERS), ...BAD_METHOD],
  ])(
    'gets a response in the envelope, with its id if known: %s',
    async (_, text, ...of: [statusLine: string, code: string]) => {
      const [answer, ...more] = await rawExchange(server.origin, text);
      expect(more).toEqual([]);
      expectEnvelope(answer, ...of);
      if (text.endsWith(END)) expect(answer?.headers.get('x-request-id')).toBe('mine');
      const allowed = of[1] === BAD_METHOD[1] ? 'GET, POST, PATCH, DELETE, OPTIONS' : undefined;
      expect(answer?.headers.get('allow')).toBe(allowed);
    },
  );

  it('does not prevent the response to the request before it, and gets only one', async () => {
    const before = requestText('POST', ORDERS, [MINE], '{"customer":"a","service":"b","amount":1}');
    const connection = openRaw(server.origin, `${before}NONSENSE\r\n\r\n`);
    await connection.until(({ answers }) => answers().length === 2);
    connection.send('more nonsense\r\n\r\n');
    await connection.over;
    expect(connection.answers().map(({ status }) => status)).toEqual([201, 405]);
    expectEnvelope(connection.answers()[1], ...BAD_METHOD);
  });

  it.each(['', requestText('GET', ORDERS, [MINE])])(
    'gets its response in turn if only its body is invalid (%#)',
    async (before) => {
      const head = requestText('POST', ORDERS, [MINE, CHUNKED, OWN_ID.trim()]);
      const answers = await rawExchange(server.origin, `${before}${head}2\r\n{}\r\nzz\r\n`);
      expect(answers.map(({ status }) => status)).toEqual(before === '' ? [400] : [200, 400]);
      expectEnvelope(answers.at(-1), ...BAD);
      expect(answers.at(-1)?.headers.get('x-request-id')).toBe('mine');
    },
  );
});

describe('An unusual request', () => {
  it.each([
    ['with an absolute target', 'GET', `http://elsewhere.example${HEALTH}`, [CLOSE], 200],
    ['OPTIONS *', 'OPTIONS', '*', [CLOSE], 204],
    ['that is TRACE', 'TRACE', ORDERS, [MINE, CLOSE], 405],
    // Its connection is closed, too, because the rest may be in the other protocol.
    ['that asks for an upgrade', 'GET', HEALTH, ['Connection: upgrade', 'Upgrade: websocket'], 200],
    ['that expects something else', 'GET', HEALTH, [CLOSE, 'Expect: tea'], 200],
  ])('gets a normal response: %s', async (_what, method, target, headers, status) => {
    const [answer] = await rawExchange(server.origin, requestText(method, target, headers));
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([status, 'close']);
  });

  it('gets 100 Continue if it expects it', async () => {
    const headers = [MINE, CLOSE, 'Expect: 100-continue', 'Content-Length: 2'];
    const connection = openRaw(server.origin, requestText('POST', ORDERS, headers));
    await connection.until(({ received }) => received() === 'HTTP/1.1 100 Continue\r\n\r\n');
    connection.send('{}');
    await connection.over;
    expect(connection.answers()[0]?.status).toBe(422);
  });

  it.each([
    ['gzip before chunks', '1.1', 'gzip, chunked', 501],
    ['chunks in HTTP/1.0', '1.0', 'chunked', 400],
  ])('ends the connection after %s', async (_what, version, coding, status) => {
    const head = `POST ${ORDERS} HTTP/${version}\r\nHost: a\r\nConnection: keep-alive\r\n`;
    const text = `${head}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const answers = await rawExchange(server.origin, text + requestText('GET', HEALTH));
    expect(answers.map((answer) => [answer.status, answer.json.error?.code])).toEqual([
      [status, 'BAD_REQUEST'],
    ]);
  });
});

describe('A path', () => {
  const ask = (target: string) =>
    requestText('GET', target, [`X-Service-Admin-Key: ${KEY}`, MINE, CLOSE]);

  it.each([
    '/api/v1/./admin/overview',
    '/api/v1/customers/../admin/overview',
    '/api/v1/%2E%2e/v1/admin/overview',
    '/api/v1/orders/..?q=1',
    'http://localhost/api/v1/x/../admin/overview',
  ])('with a dot segment is 404: %s', async (target) => {
    expect((await rawExchange(server.origin, ask(target)))[0]?.status).toBe(404);
  });

  it.each(['/api/v1/orders?q=/../b', '/api/v1/orders?q=a#/./'])(
    'without a dot segment is routed: %s',
    async (target) => {
      expect((await rawExchange(server.origin, ask(target)))[0]?.status).toBe(200);
    },
  );
});

it('A body over 1 MiB gets a 400, and the connection stays usable', async () => {
  const large = requestText('POST', ORDERS, [MINE], 'a'.repeat(1_500_000));
  const answers = await rawExchange(server.origin, large + requestText('GET', HEALTH, [CLOSE]));
  expect(answers.map(({ status }) => status)).toEqual([400, 200]);
});

/** Sends one more byte every second, like a slow client. */
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
  it.concurrent(`A connection with ${what} gets 408 at 5 s`, async () => {
    const connection = openRaw(server.origin, text);
    await expectOver(connection, HEADER_READ_TIMEOUT_MS);
    expect(connection.answers().map(({ status }) => status)).toEqual([...before, 408]);
    expectEnvelope(connection.answers().at(-1), ...TIMEOUT);
  });
}

it.concurrent('Keep-Alive promises clients a second less than the idle time-out of 60 s', async () => {
  const connection = openRaw(server.origin, requestText('GET', HEALTH));
  await connection.until(({ answers }) => answers().length === 1);
  // Node keeps it open a second longer than advertised.
  expect(connection.answers()[0]?.headers.get('keep-alive')).toBe('timeout=59');
  connection.socket.destroy();
});

for (const [what, framing, start, more] of [
  ['with its length', 'Content-Length: 100', '{', ' '],
  ['in chunks', 'Transfer-Encoding: chunked', '1\r\n{\r\n', '1\r\n \r\n'],
] as const) {
  it.concurrent(`A body ${what} that trickles in gets 408 at 15 s with its own id`, async () => {
    const head = requestText('POST', ORDERS, [MINE, framing, 'X-Request-ID: slow \xe9']);
    const connection = openRaw(server.origin, head + start);
    trickle(connection, more);
    await expectOver(connection, REQUEST_READ_TIMEOUT_MS);
    expect(connection.answers()).toHaveLength(1);
    expectEnvelope(connection.answers()[0], ...TIMEOUT);
    expect(connection.answers()[0]?.headers.get('x-request-id')).toBe('slow \xe9');
  });
}

it.concurrent('A slow body that is not read gets one response and no second one at 15 s', async () => {
  const connection = openRaw(server.origin, requestText('POST', ORDERS, ['Content-Length: 9']));
  await connection.until(({ answers }) => answers().length === 1);
  await expectOver(connection, REQUEST_READ_TIMEOUT_MS);
  expect(connection.answers().map((answer) => answer.status)).toEqual([401]);
});

it.concurrent('A client may keep sending a refused body and keep its connection', async () => {
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
