// The service behind nginx and Caddy, with the files that operators copy:
// the rule on the administration API holds, and no request is smuggled past it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { isInstalled, PROXIES, type RunningProxy, startProxy } from '../support/proxies.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';

const KEY = 'operator'.padEnd(32, '-');
const ADMIN = `X-Service-Admin-Key: ${KEY}`;

const POST = ['POST /api/v1/customers HTTP/1.1', 'Host: localhost', bearer('a')];

/** Shapes whose end two readers see in different places. What follows the body is a request to the administration. */
const SMUGGLING: readonly (readonly [name: string, head: readonly string[], body: string])[] = [
  [
    'a length beside chunks',
    [...POST, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
    '0\r\n\r\n',
  ],
  [
    'chunks beside a length',
    [...POST, 'Transfer-Encoding: chunked', 'Content-Length: 5'],
    '0\r\n\r\n',
  ],
  ['two lengths', [...POST, 'Content-Length: 0', 'Content-Length: 5'], ''],
  ['a list of lengths', [...POST, 'Content-Length: 0, 5'], ''],
  ['a length with a sign', [...POST, 'Content-Length: +0'], ''],
  ['a length in hexadecimal', [...POST, 'Content-Length: 0x0'], ''],
  ['an unknown coding', [...POST, 'Transfer-Encoding: xchunked', 'Content-Length: 0'], ''],
  ['two codings', [...POST, 'Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
  ['a coding in quotes', [...POST, 'Transfer-Encoding: "chunked"', 'Content-Length: 0'], ''],
  ['a space before the colon', [...POST, 'Transfer-Encoding : chunked', 'Content-Length: 0'], ''],
  [
    'a tab after the coding',
    [...POST, 'Transfer-Encoding: chunked\t', 'Content-Length: 0'],
    '0\r\n\r\n',
  ],
  [
    'a folded header',
    [...POST, 'Transfer-Encoding:', ' chunked', 'Content-Length: 0'],
    '0\r\n\r\n',
  ],
  [
    'a header after a bare line feed',
    [...POST, 'X: a\nTransfer-Encoding: chunked', 'Content-Length: 0'],
    '0\r\n\r\n',
  ],
  [
    'a chunk size with an extension and a line feed',
    [...POST, 'Transfer-Encoding: chunked'],
    '0;a\nb\r\n\r\n',
  ],
  ['a chunk size that overflows', [...POST, 'Transfer-Encoding: chunked'], 'ffffffffffffffff1\r\n'],
];

for (const proxy of PROXIES) {
  describe.runIf(isInstalled(proxy))(`Behind ${proxy.name}`, () => {
    let service: NodeService;
    let running: RunningProxy;
    let origin = '';

    beforeAll(async () => {
      service = await openNodeService();
      const server = await service.start({ ADMIN_API_KEY: KEY });
      running = await startProxy(proxy, service.folder, server.origin);
      ({ origin } = running);
    });
    afterAll(async () => {
      await running?.close();
      await service.close();
    });

    const close = 'Connection: close';
    /** A proxy's own answers are no envelope: their status is all that counts. */
    const statusOf = async (target: string, ...more: string[]) => {
      const text = requestText('GET', target, [ADMIN, bearer('a'), close, ...more]);
      const connection = openRaw(origin, text);
      await connection.over;
      return Number(connection.received().split(' ')[1]);
    };

    it('an account is served', async () => {
      expect(await statusOf('/api/v1/customers?q=../x')).toBe(200);
      const body = '{"name":"a","phone":"1"}';
      const text = requestText('POST', '/api/v1/customers', [bearer('a'), close], body);
      expect((await rawExchange(origin, text))[0]?.status).toBe(201);
    });

    it.each([
      '/api/v1/admin/overview',
      '/api/v1/%61dmin/overview',
      '/%61pi/v1/%61%64min/overview',
      '/api/v1/./admin/overview',
      '/api/v1/customers/../admin/overview',
      '/api/v1/%2e/admin/overview',
      '/api/v1/customers/%2e%2e/admin/overview',
      '/api/v1/customers/..%2fadmin/overview',
      '/api/v1/x\\..\\admin/overview',
      '/api/v1\\admin/overview',
      '/api/v1//admin/overview',
      '//api/v1/admin/overview',
      '/api/v1/%2561dmin/overview',
      '/api/v1/ADMIN/overview',
      '/api/v1/admin',
      '/api/v1/admin;x/overview',
      '/api/v1/%5cadmin/overview',
    ])('the administration API is not reached as %s', async (target) => {
      expect([400, 403, 404]).toContain(await statusOf(target));
    });

    it.each(SMUGGLING)('no request is smuggled in %s', async (_, head, body) => {
      const inner = requestText('GET', '/api/v1/admin/overview', [ADMIN]);
      const connection = openRaw(origin, `${head.join('\r\n')}\r\n\r\n${body}${inner}`);
      connection.send(requestText('GET', '/api/v1/health', [close]));
      await connection.over;
      // The administration's view, however it may have come out.
      expect(connection.received()).not.toContain('tenant_count');
      expect((await fetch(`${origin}/api/v1/health`)).status).toBe(200);
    });
  });
}
