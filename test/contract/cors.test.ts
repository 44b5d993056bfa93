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

describeContract('Preflight', (service) => {
  it.each([
    '/api/v1/customers',
    '/api/v1/health',
    '/api/v1/admin/overview',
    '/api/v1/customers/%zz',
    '/api/v1x',
    '/',
    '/any/where?at=all',
  ])('OPTIONS %s is 204 with exactly the three headers', async (path) => {
    const before = service.identity.asked.length;
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
    expect(service.identity.asked.length).toBe(before);
  });

  it('needs no request header, and its body is ignored', async () => {
    const init = { method: 'OPTIONS', body: '{"not": json' };
    const response = await service.fetch('/api/v1/customers', init);
    expect(response.status).toBe(204);
    expect(Object.keys(ownHeaders(response))).toHaveLength(3);
  });
});

/** The origin headers of an answer. */
function verdictOf({ headers }: Response) {
  return { allowed: headers.get('access-control-allow-origin'), vary: headers.get('vary') };
}

const ANYONE = { allowed: '*', vary: null };
const NOBODY = { allowed: null, vary: null };

/** The origin headers of a success, a refusal, an unknown path and a preflight. */
const REQUESTS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/health'],
  ['GET', '/api/v1/customers'],
  ['GET', '/nowhere'],
  ['PUT', '/api/v1/health'],
  ['OPTIONS', '/api/v1/customers'],
];

describeContract('Without a list of origins any origin', (service) => {
  it.each(REQUESTS)('is admitted to %s %s', async (method, path) => {
    for (const headers of [{ Origin: APP }, { Origin: 'null' }, {}]) {
      expect(verdictOf(await service.fetch(path, { method, headers }))).toEqual(ANYONE);
    }
  });
});

const REFUSED: readonly (readonly [title: string, origin: string])[] = [
  ['another scheme', 'http://app.example.com'],
  ['another port', 'https://app.example.com:8443'],
  ['a suffix', 'https://app.example.com.evil.example'],
  ['capitals', 'https://App.Example.com'],
  ['a trailing slash', 'https://app.example.com/'],
  ['the opaque origin', 'null'],
  ['a name of Object.prototype', 'constructor'],
];

describeContract(
  'A list of origins',
  (service) => {
    it.each(REQUESTS)('is answered on %s %s', async (method, path) => {
      const of = async (headers: Record<string, string>) =>
        verdictOf(await service.fetch(path, { method, headers }));
      expect(await of({ Origin: APP })).toEqual({ allowed: APP, vary: 'Origin' });
      expect(await of({ Origin: LOCAL })).toEqual({ allowed: LOCAL, vary: 'Origin' });
      expect(await of({ Origin: 'https://evil.example' })).toEqual(NOBODY);
      expect(await of({})).toEqual(NOBODY);
    });

    it.each(REFUSED)('refuses %s', async (_name, origin) => {
      for (const method of ['GET', 'OPTIONS']) {
        const init = { method, headers: { Origin: origin } };
        expect(verdictOf(await service.fetch('/api/v1/health', init))).toEqual(NOBODY);
      }
    });

    it('never admits cookies', async () => {
      for (const method of ['GET', 'OPTIONS']) {
        const headers = { Origin: APP, Cookie: 'session=1' };
        const response = await service.fetch('/api/v1/health', { method, headers });
        expect(response.headers.has('access-control-allow-credentials')).toBe(false);
      }
    });
  },
  { settings: { CORS_ALLOWED_ORIGINS: `${APP},${LOCAL}` } },
);

describeContract(
  'A list of origins with an asterisk in it',
  (service) => {
    it.each(REQUESTS)('admits any origin to %s %s', async (method, path) => {
      for (const headers of [{ Origin: APP }, { Origin: 'https://evil.example' }, {}]) {
        expect(verdictOf(await service.fetch(path, { method, headers }))).toEqual(ANYONE);
      }
    });
  },
  { settings: { CORS_ALLOWED_ORIGINS: `${APP},*` } },
);
