// Methods that Node's parser does not know: contract, "Method handling", as for
// every other unsupported method.

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, type RawAnswer, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const HEALTH = '/api/v1/health';
const ORDERS = '/api/v1/orders';
const MINE = bearer('methods');

let service: NodeService;
let server: ServerProcess;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start();
});
afterAll(() => service.close());

function expectNotAllowed(answer: RawAnswer | undefined) {
  expect(answer?.status).toBe(405);
  expect(answer?.headers.get('allow')).toBe('GET, POST');
  expect(answer?.headers.get('x-request-id')).toBe('mine');
}

describe('A method that the parser does not know', () => {
  it.each([
    ['a collection', 'FOO', ORDERS, [MINE], 405, 'GET, POST'],
    ['a record', 'FOO', `${ORDERS}/ORD-0001`, [MINE], 405, 'GET, PATCH, DELETE'],
    ['/health, without authentication', 'FOO', HEALTH, [], 405, 'GET'],
    ['a known method in lower case', 'get', ORDERS, [MINE], 405, 'GET, POST'],
    ['a method that begins as a known one', 'GETS', ORDERS, [MINE], 405, 'GET, POST'],
    ['a collection, without authentication', 'FOO', ORDERS, [], 401, undefined],
    ['an unknown path', 'FOO', '/elsewhere', [], 404, undefined],
  ] as const)(
    'is answered as the contract says: %s',
    async (_what, method, path, headers, status, allow) => {
      const id = '\xe9 mine';
      const text = requestText(method, path, [...headers, `X-Request-ID: ${id}`]);
      const answers = await rawExchange(server.origin, text);
      expect(answers.map((answer) => answer.status)).toEqual([status]);
      expect(answers[0]?.headers.get('allow')).toBe(allow);
      expect(answers[0]?.headers.get('connection')).toBe('close');
      expect(answers[0]?.headers.get('x-request-id')).toBe(id);
    },
  );

  it('is answered after the request before it', async () => {
    const text = requestText('GET', HEALTH) + requestText('FOO', ORDERS, [MINE]);
    const answers = await rawExchange(server.origin, text);
    expect(answers.map(({ status }) => status)).toEqual([200, 405]);
  });

  const whole = requestText('FOO', ORDERS, [MINE, 'X-Request-ID: mine']);
  const posted = requestText('POST', ORDERS, [MINE], '{}');
  it.each([
    ['after the first letter', whole, [1]],
    ['after the method', whole, [3]],
    ['after the space', whole, [4]],
    ['in the target', whole, [9]],
    ['in the version', whole, [whole.indexOf('HTTP') + 6]],
    ['in the line end', whole, [whole.indexOf('\r') + 1]],
    ['in a header and before the last byte', whole, [40, whole.length - 1]],
    ['after letters that begin a known method', whole.replace('FOO', 'POO'), [2]],
    ['after letters that are a known method', whole.replace('FOO', 'GETS'), [3]],
    ['after each byte', whole, Array.from(whole.slice(1), (_, index) => index + 1)],
  ] as const)('is answered when its head comes in pieces: cut %s', async (_what, text, cuts) => {
    const connection = openRaw(server.origin);
    connection.socket.setNoDelay(true);
    for (const [index, cut] of [0, ...cuts].entries()) {
      connection.send(text.slice(cut, cuts[index]));
      // Not a wait for a result: the pieces arrive apart, as they do from a slow client.
      await setTimeout(cuts.length > 9 ? 2 : 50);
    }
    await connection.over;
    expectNotAllowed(connection.answers().at(-1));
  });

  it.each([
    ['in one piece with that request', [posted + whole]],
    ['with its last bytes', [posted.slice(0, -2), `{}${whole}`]],
    ['with its last byte, and the head in pieces', [posted.slice(0, -1), '}FO', whole.slice(2)]],
    [
      'with the last bytes of chunks',
      [
        requestText('POST', ORDERS, [MINE, 'Transfer-Encoding: chunked']),
        `2\r\n{}\r\n0\r\n\r\n${whole}`,
      ],
    ],
  ] as const)('is answered after the body of another request: %s', async (_what, pieces) => {
    const connection = openRaw(server.origin);
    connection.socket.setNoDelay(true);
    for (const piece of pieces) {
      connection.send(piece);
      await setTimeout(50);
    }
    await connection.over;
    const answers = connection.answers();
    expect(answers.map(({ status }) => status)).toEqual([422, 405]);
    expectNotAllowed(answers[1]);
  });

  it('is refused when its head is too large', async () => {
    const connection = openRaw(server.origin, `FOO ${ORDERS} HTTP/1.1\r\nX-A: `);
    connection.send('a'.repeat(17_000));
    await connection.over;
    expect(connection.answers().map(({ status }) => status)).toEqual([431]);
  });

  it('is refused when the rest of its head does not come', async () => {
    const answers = await rawExchange(server.origin, whole.slice(0, -1));
    expect(answers.map(({ status }) => status)).toEqual([408]);
  });

  it('is refused at once when the client ends its side within its head', async () => {
    const connection = openRaw(server.origin, whole.slice(0, -1));
    connection.socket.end();
    await connection.over;
    expect(connection.answers().map(({ status }) => status)).toEqual([400]);
  });

  it('ends the connection, so that its body is not read as a request', async () => {
    const inside = requestText('DELETE', `${ORDERS}/ORD-0001`, [MINE]);
    const answers = await rawExchange(server.origin, requestText('FOO', ORDERS, [MINE], inside));
    expect(answers.map(({ status }) => status)).toEqual([405]);
  });

  it.each([
    ['whose version is malformed', 'FOO /api/v1/health HTTP/x'],
    ['whose header is malformed', 'FOO /api/v1/health HTTP/1.1\r\nX-A : a\r\n\r\n'],
    ['without a target', 'FOO\r\n\r\n'],
    ['on the plain port, where TLS was meant', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])(
    'is refused as a malformed request when its headers are malformed, too: %s',
    async (_what, text) => {
      const connection = openRaw(server.origin, text);
      await connection.over;
      const [answer] = connection.answers();
      expect(answer?.status).toBe(400);
      expect(answer?.json.error?.message).toContain(
        'does not begin with a method that is known here',
      );
    },
  );
});
