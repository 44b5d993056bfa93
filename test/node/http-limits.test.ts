// What never becomes a request, and requests at the edge of HTTP: contract,
// "Limits" (read time-outs, body size) and "Common headers" on every answer,
// also on those of the HTTP layer itself.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIdentityStub } from '../support/identity-stub.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import {
  COMMON_HEADERS,
  openRaw,
  type RawAnswer,
  rawExchange,
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
const CLOSE = 'Connection: close';
const MINE = bearer('limits');
const CHUNKED = 'Transfer-Encoding: chunked';

/** The envelope, the common headers and a complete status line; the id is the client's where it could be read. */
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

async function expectAlive(): Promise<void> {
  expect((await fetch(server.origin + HEALTH)).status).toBe(200);
}

describe('A message that is not a request', () => {
  it.each([
    ['a request line without a target', 'GET\r\n\r\n'],
    ['a header without a colon', `GET ${HEALTH} HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n`],
    ['chunks that are not the last coding', requestText('POST', ORDERS, [`${CHUNKED}, gzip`])],
  ])('is answered 400 in the envelope: %s', async (_what, text) => {
    const answers = await rawExchange(server.origin, text);
    expect(answers).toHaveLength(1);
    expectEnvelope(answers[0], '400 Bad Request', 'BAD_REQUEST');
    await expectAlive();
  });

  it.each([
    ['a Host that is none', `GET ${HEALTH} HTTP/1.1\r\nHost: a b\r\n`],
    ['a Host with a path', `GET ${HEALTH} HTTP/1.1\r\nHost: a/b\r\n`],
    ['the target *', 'GET * HTTP/1.1\r\nHost: a\r\n'],
    ['HTTP/1.1 without a Host', `GET ${HEALTH} HTTP/1.1\r\n`],
    ['an absolute target that is no URL', 'GET http://[ HTTP/1.1\r\nHost: a\r\n'],
    ['a backslash in the path', `GET ${HEALTH}\\x HTTP/1.1\r\nHost: a\r\n`],
  ])('is answered 400 with its own request id: %s', async (_what, head) => {
    const text = `${head}X-Request-ID: mine\r\n${CLOSE}\r\n\r\n`;
    const [answer] = await rawExchange(server.origin, text);
    expectEnvelope(answer, '400 Bad Request', 'BAD_REQUEST');
    expect(answer?.headers.get('x-request-id')).toBe('mine');
    await expectAlive();
  });

  it('is answered 431 when its headers are too large', async () => {
    const text = requestText('GET', HEALTH, [`X-Large: ${'a'.repeat(20_000)}`]);
    const [answer] = await rawExchange(server.origin, text);
    expectEnvelope(answer, '431 Request Header Fields Too Large', 'HEADERS_TOO_LARGE');
  });

  it('is answered once, in any number of pieces', async () => {
    const connection = openRaw(server.origin, 'NONSENSE\r\n\r\n');
    await connection.until(({ answers }) => answers().length === 1);
    connection.send('more nonsense\r\n\r\n');
    await connection.over;
    expect(connection.answers()).toHaveLength(1);
  });

  it('does not prevent the answer to the request before it', async () => {
    const before = requestText('POST', ORDERS, [MINE], '{"customer":"a","service":"b","amount":1}');
    const answers = await rawExchange(server.origin, `${before}NONSENSE\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([201, 400]);
    expectEnvelope(answers[1], '400 Bad Request', 'BAD_REQUEST');
  });

  it('is answered in its turn when only its body is broken', async () => {
    const before = requestText('GET', ORDERS, [MINE]);
    const broken = `${requestText('POST', ORDERS, [MINE, CHUNKED, 'X-Request-ID: mine'])}2\r\n{}\r\nzz\r\n`;
    const answers = await rawExchange(server.origin, before + broken);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expectEnvelope(answers[1], '400 Bad Request', 'BAD_REQUEST');
    expect(answers[1]?.headers.get('x-request-id')).toBe('mine');
  });

  it.each([
    ['after nonsense', 'NONSENSE\r\n\r\n'],
    ['after CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('cannot hold its connection open: %s', async (_what, text) => {
    const connection = openRaw(server.origin, text, { stay: true });
    await connection.until(({ answers }) => answers().length === 1);
    // A side that only listens learns of the cut when it sends.
    const probe = setInterval(() => connection.send('x'), 100);
    expect((await connection.over).reset).toBe(true);
    clearInterval(probe);
  });
});

describe('An unusual request', () => {
  it('is admitted with an absolute target', async () => {
    const target = `http://elsewhere.example${HEALTH}`;
    const [answer] = await rawExchange(server.origin, requestText('GET', target, [CLOSE]));
    expect(answer?.status).toBe(200);
  });

  it('is refused with 405 when it asks for a tunnel', async () => {
    const text = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\n\r\n';
    const [answer] = await rawExchange(server.origin, text);
    expectEnvelope(answer, '405 Method Not Allowed', 'METHOD_NOT_ALLOWED');
    expect(answer?.headers.get('allow')).toBe('GET, POST, PATCH, DELETE, OPTIONS');
    expect(answer?.headers.get('x-request-id')).toBe('mine');
  });

  it('is refused with 405 when it is TRACE', async () => {
    const [answer] = await rawExchange(server.origin, requestText('TRACE', ORDERS, [MINE, CLOSE]));
    expectEnvelope(answer, '405 Method Not Allowed', 'METHOD_NOT_ALLOWED');
    expect(answer?.headers.get('allow')).toBe('GET, POST');
  });

  it('is served without the upgrade that it asks for, and its connection is then closed', async () => {
    const text = requestText('GET', HEALTH, ['Connection: upgrade', 'Upgrade: websocket']);
    const [answer] = await rawExchange(server.origin, text);
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('connection')).toBe('close');
  });

  it('gets 100 Continue when it expects that', async () => {
    const head = requestText('POST', ORDERS, [
      MINE,
      CLOSE,
      'Expect: 100-continue',
      'Content-Length: 2',
    ]);
    const connection = openRaw(server.origin, head);
    await connection.until(({ received }) => received() === 'HTTP/1.1 100 Continue\r\n\r\n');
    connection.send('{}');
    await connection.over;
    expect(connection.answers()[0]?.status).toBe(422);
  });

  it('is served normally when it expects something else', async () => {
    const text = requestText('POST', ORDERS, [MINE, CLOSE, 'Expect: tea'], '{}');
    const [answer] = await rawExchange(server.origin, text);
    expect(answer?.status).toBe(422);
  });
});

describe('Requests sent without waiting for the answers', () => {
  it('are handled one after the other, so that unread answers do not pile up', async () => {
    const gates: (() => void)[] = [];
    const stub = await openIdentityStub((token, response) => {
      gates.push(() => response.end(JSON.stringify({ sub: token })));
    });
    const other = await service.start({
      AUTH_USERINFO_URL: stub.url,
      DATABASE_URL: `file:${service.folder}/other.db`,
    });
    const tokens = ['a', 'b', 'c'];
    const texts = tokens.map((token) =>
      requestText('GET', ORDERS, [`Authorization: Bearer ${token}`]),
    );
    const connection = openRaw(other.origin, texts.join(''));
    for (const [i, token] of tokens.entries()) {
      while (gates.length <= i) await new Promise((resolve) => setTimeout(resolve, 10));
      // Whatever was sent with it has long arrived by the time another client is answered.
      expect((await fetch(other.origin + HEALTH)).status).toBe(200);
      expect(stub.asked).toEqual(tokens.slice(0, i + 1));
      expect(stub.asked.at(-1)).toBe(token);
      gates[i]?.();
      await connection.until(({ answers }) => answers().length === i + 1);
    }
    connection.socket.destroy();
    await stub.close();
  });
});

it.each([
  ['a length that is too long', 'Content-Length: 20', '{"note":"complete"}'],
  ['a length of 1 GiB', 'Content-Length: 1073741824', '{"note":"complete"}'],
  ['chunks without their end', CHUNKED, '13\r\n{"note":"complete"}\r\n'],
  ['a chunk that is too long', CHUNKED, 'ff\r\n{"note":"complete"}\r\n0\r\n\r\n'],
])('A body that breaks off is not stored: %s', async (_what, framing, body) => {
  const mine = bearer('breaks-off');
  const head = requestText('POST', '/api/v1/businesses', [mine, framing]);
  const connection = openRaw(server.origin, head + body);
  connection.socket.end();
  await connection.over;
  const list = requestText('GET', '/api/v1/businesses', [mine, CLOSE]);
  expect((await rawExchange(server.origin, list))[0]?.json.data).toEqual([]);
});

describe('A body over 1 MiB', () => {
  const LARGE = 'a'.repeat(1_500_000);

  it.each([
    ['with its length', requestText('POST', ORDERS, [MINE], LARGE)],
    [
      'in chunks',
      `${requestText('POST', ORDERS, [MINE, CHUNKED])}${LARGE.length.toString(16)}\r\n${LARGE}\r\n0\r\n\r\n`,
    ],
  ])('is answered 400 and leaves the connection usable: %s', async (_what, text) => {
    const connection = openRaw(server.origin, text + requestText('GET', HEALTH, [CLOSE]));
    await connection.over;
    const answers = connection.answers();
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
    expect(answers[0]?.json.error?.code).toBe('INVALID_JSON');
  });
});
