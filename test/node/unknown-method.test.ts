// Methods that Node's parser does not know: contract, "Method handling", as for
// every other unsupported method.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
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

  it('ends the connection, so that its body is not read as a request', async () => {
    const inside = requestText('DELETE', `${ORDERS}/ORD-0001`, [MINE]);
    const answers = await rawExchange(server.origin, requestText('FOO', ORDERS, [MINE], inside));
    expect(answers.map(({ status }) => status)).toEqual([405]);
  });

  it.each([
    ['whose head is not whole', 'FOO /api/v1/health HTTP/1.1\r\nHost: a\r\n'],
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
