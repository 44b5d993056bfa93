// Contract, "CORS preflight" and the cross-origin rows of "Common headers".

import { expect, it } from 'vitest';
import { describeContract } from '../support/contract.js';

const METHODS = 'GET, POST, PATCH, DELETE, OPTIONS';
const REQUEST_HEADERS = 'Content-Type, Authorization, X-Request-ID';

const APP = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';

/** The connection's own headers, which every HTTP server adds. */
const TRANSPORT_HEADERS = new Set(['connection', 'date', 'keep-alive']);

function ownHeaders(response: Response): Record<string, string> {
  return Object.fromEntries([...response.headers].filter(([name]) => !TRANSPORT_HEADERS.has(name)));
}

describeContract('A preflight', (service) => {
  it.each([
    '/api/v1/customers',
    '/api/v1/health',
    '/api/v1/admin/overview',
    '/api/v1/customers/%zz',
    '/api/v1x',
    '/',
    '/any/where?at=all',
  ])('of %s gets 204 with exactly the three headers', async (path) => {
    const before = service.identity.tokens.length;
    const response = await service.fetch(path, {
      method: 'OPTIONS',
      headers: {
        Origin: APP,
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'x-something-else',
        'X-Request-ID': 'not-to-be-echoed',
        Authorization: 'Bearer is.c29tZW9uZQ',
      },
    });
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(ownHeaders(response)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
    });
    expect(service.identity.tokens.length).toBe(before);
  });

  it('needs no request header, and its body is ignored', async () => {
    const init = { method: 'OPTIONS', body: '{"not": json' };
    const response = await service.fetch('/api/v1/customers', init);
    expect(response.status).toBe(204);
    expect(Object.keys(ownHeaders(response))).toHaveLength(3);
  });
});

/** Another scheme, port or host, capitals, a slash, the opaque origin, a name of Object.prototype. */
const STRANGERS = [
  ...['http://app.example.com', `${APP}:8443`, `${APP}.evil.example`, 'https://evil.example'],
  ...['https://App.Example.com', `${APP}/`, 'null', 'constructor', undefined],
];

/** An origin, and the headers `Access-Control-Allow-Origin` and `Vary` of each response to it. */
type Case = readonly [origin: string | undefined, allowed: string | null, vary: string | null];
const OF_ANYONE = [APP, ...STRANGERS].map((origin): Case => [origin, '*', null]);
const OF_LISTED = [
  ...[APP, LOCAL].map((origin): Case => [origin, origin, 'Origin']),
  ...STRANGERS.map((origin): Case => [origin, null, null]),
];

/** A success, refusals, an unknown path and a preflight. */
const REQUESTS = [
  ...['GET /api/v1/health', 'GET /api/v1/customers', 'GET /nowhere', 'PUT /api/v1/health'],
  'OPTIONS /api/v1/customers',
];

for (const [title, list, cases] of [
  ['Without a list of origins', '', OF_ANYONE],
  ['With a list of origins', `${APP},${LOCAL}`, OF_LISTED],
  ['With an asterisk in the list of origins', `${APP},*`, OF_ANYONE],
] as const) {
  describeContract(
    title,
    (service) => {
      it.each(REQUESTS)(
        'the response to %s allows the right origins, and never cookies',
        async (request) => {
          const [method = '', path = ''] = request.split(' ');
          for (const [origin, allowed, vary] of cases) {
            const sent = { Cookie: 'session=1', ...(origin !== undefined && { Origin: origin }) };
            const { headers } = await service.fetch(path, { method, headers: sent });
            const seen = ['access-control-allow-origin', 'vary'].map((name) => headers.get(name));
            expect([origin, ...seen]).toEqual([origin, allowed, vary]);
            expect(headers.has('access-control-allow-credentials')).toBe(false);
          }
        },
      );
    },
    { settings: { CORS_ALLOWED_ORIGINS: list } },
  );
}
