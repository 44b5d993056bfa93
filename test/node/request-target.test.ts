// Targets that a proxy and a URL parser read differently, two `Host` headers, and
// framing that two readers may take differently: the server takes none of them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unresolvedTarget } from '../../src/hosts/node/request-target.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const KEY = 'operator'.padEnd(32, '-');
const BOTH = [`X-Service-Admin-Key: ${KEY}`, bearer('target'), 'Connection: close'];

let service: NodeService;
let server: ServerProcess;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start({ ADMIN_API_KEY: KEY });
});
afterAll(() => service.close());

async function statusOf(text: string): Promise<number | undefined> {
  return (await rawExchange(server.origin, text))[0]?.status;
}

describe('The server', () => {
  it.each([
    '/api/v1/./admin/overview',
    '/api/v1/customers/../admin/overview',
    '/api/v1/%2e/admin/overview',
    '/api/v1/%2E%2e/v1/admin/overview',
    '/api/v1/.%2e/v1/admin/overview',
    '/public/../api/v1/admin/overview',
    '/../api/v1/admin/overview',
    '/api/v1/admin/./overview',
    '/api/v1/admin/accounts/../overview',
    '/api/v1/orders/%2e%2e/customers',
    'http://localhost/api/v1/./admin/overview',
    'http://localhost/api/v1/x/../admin/overview',
  ])('answers 404 at %s to every caller', async (target) => {
    expect(await statusOf(requestText('GET', target, BOTH))).toBe(404);
  });

  it.each(['/api/v1\\admin\\overview', '/api/v1/x\\..\\admin/overview'])(
    'refuses %s as a malformed request',
    async (target) => expect(await statusOf(requestText('GET', target, BOTH))).toBe(400),
  );

  it.each([
    ['two alike', ['Host: localhost', 'host: localhost']],
    ['two that differ', ['Host: localhost', 'HOST: evil.example']],
  ])('refuses a request with %s Host headers', async (_, hosts) => {
    const head = ['GET /api/v1/health HTTP/1.1', ...hosts, 'Connection: close'];
    const [answer] = await rawExchange(server.origin, `${head.join('\r\n')}\r\n\r\n`);
    expect([answer?.status, answer?.json.error?.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it.each([
    ['gzip before chunks', '1.1', 'gzip, chunked', 501],
    ['chunks in HTTP/1.0', '1.0', 'chunked', 400],
  ])('ends the connection after %s', async (_what, version, coding, status) => {
    const head = `POST /api/v1/orders HTTP/${version}\r\nHost: a\r\nConnection: keep-alive\r\n`;
    const text = `${head}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const answers = await rawExchange(server.origin, text + requestText('GET', '/api/v1/health'));
    expect(answers.map((answer) => [answer.status, answer.json.error?.code])).toEqual([
      [status, 'BAD_REQUEST'],
    ]);
    expect(answers[0]?.headers.get('connection')).toBe('close');
  });

  it('answers OPTIONS * as on any path', async () => {
    const text = 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const [answer] = await rawExchange(server.origin, text);
    expect(answer?.status).toBe(204);
    expect(answer?.headers.has('x-request-id')).toBe(false);
  });

  it('logs a wrong admin key with its address, once a minute', async () => {
    const wrong = requestText('GET', '/api/v1/admin/overview', [
      `X-Service-Admin-Key: ${'canary'.padEnd(32, '-')}`,
      'Connection: close',
    ]);
    for (let i = 0; i < 5; i++) expect(await statusOf(wrong)).toBe(401);
    const lines = server.log().filter(({ event }) => event === 'admin_key_refused');
    expect(lines).toEqual([
      {
        time: expect.any(String),
        level: 'warn',
        event: 'admin_key_refused',
        remote_address: '127.0.0.1',
      },
    ]);
    expect(server.output()).not.toContain('canary');
  });
});

describe('A target', () => {
  it.each(['/', '*', '/api/v1/customers?a=/../b', '/a.b/..c/...', '/a/.well-known/x', ''])(
    'without a dot segment is unchanged: %s',
    (target) => expect(unresolvedTarget(target)).toBe(target),
  );

  it('keeps its query', () => {
    expect(unresolvedTarget('/a/../b?c=/./d')).toBe('/a/%00/b?c=/./d');
  });
});
