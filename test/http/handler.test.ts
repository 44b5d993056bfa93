// The handler by itself, as a program embeds it: defaults, and errors that
// nobody foresaw (500 `INTERNAL_ERROR`, the text in the log).

import { describe, expect, it } from 'vitest';
import type { LogFields } from '../../src/core/log.js';
import {
  createHandler,
  type HandlerDependencies,
  type IdentityProvider,
  type Log,
  openRecords,
  type RecordService,
  type RecordStorage,
  type StoredViews,
} from '../../src/handler.js';

const KEY = 'the-operator-key-of-the-handler-tests';
const AS_ACCOUNT = { Authorization: 'Bearer good' };
const AS_OPERATOR = { 'X-Service-Admin-Key': KEY };
const SECRET = 'SQLITE_CORRUPT: page 7 of /srv/data/service.db';

const anyone: IdentityProvider = {
  identify: async () => ({ status: 'identified', subject: 'account-1' }),
};

/** Storage that starts empty and keeps nothing. */
const forgetful: RecordStorage & StoredViews = {
  bodyMaxBytes: Number.POSITIVE_INFINITY,
  async *load() {},
  sequences: async () => ({}),
  commit: async () => ({ status: 'committed' }),
  usage: async () => ({ collections: [], auditEventCount: 0 }),
  auditEvents: async () => ({ items: [], total: 0 }),
  ping: async () => {},
  close: async () => {},
};

/** Records of which every part fails in the way given. */
function broken(fail: () => never): RecordService {
  const parts = new Proxy({}, { get: () => fail });
  return {
    account: () => parts as ReturnType<RecordService['account']>,
    operator: parts as RecordService['operator'],
  };
}

interface LogEntry {
  readonly event: string;
  readonly error: unknown;
  readonly fields: LogFields | undefined;
}

function openLog(): Log & { readonly errors: LogEntry[] } {
  const errors: LogEntry[] = [];
  return {
    errors,
    info() {},
    warn() {},
    error: (event, error, fields) => errors.push({ event, error, fields }),
  };
}

function ask(
  dependencies: HandlerDependencies,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  return createHandler(dependencies)(new Request(`http://localhost${path}`, init));
}

describe('an unexpected error', () => {
  const error = new Error(SECRET);
  const FAILURES: readonly (readonly [string, unknown])[] = [
    ['an Error', error],
    ['a TypeError', new TypeError(SECRET)],
    ['a text', SECRET],
    ['undefined', undefined],
    ['null', null],
    ['an object', { message: SECRET }],
  ];

  it.each(FAILURES)('(%s) is 500 in the envelope, its text only in the log', async (_n, thrown) => {
    const log = openLog();
    const records = broken(() => {
      throw thrown;
    });
    const headers = { ...AS_ACCOUNT, 'X-Request-ID': 'mine' };
    const response = await ask({ records, identity: anyone, log }, '/api/v1/customers', {
      headers,
    });
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toBe('mine');
    const text = await response.text();
    expect(text).not.toContain('SQLITE');
    expect(text).not.toContain('/srv');
    const { error: told, meta, ...rest } = JSON.parse(text);
    expect(rest).toEqual({});
    expect(Object.keys(told)).toEqual(['code', 'message']);
    expect(told.code).toBe('INTERNAL_ERROR');
    expect(meta.request_id).toBe('mine');
    expect(log.errors).toEqual([
      { event: 'request_failed', error: thrown, fields: { request_id: 'mine' } },
    ]);
  });

  it.each([
    ['GET', '/api/v1/customers'],
    ['POST', '/api/v1/customers'],
    ['GET', '/api/v1/customers/CUS-0001'],
    ['PATCH', '/api/v1/customers/CUS-0001'],
    ['DELETE', '/api/v1/customers/CUS-0001'],
    ['GET', '/api/v1/payments'],
    ['GET', '/api/v1/admin/overview'],
    ['GET', '/api/v1/admin/usage'],
    ['GET', '/api/v1/admin/audit'],
    ['GET', '/api/v1/admin/accounts'],
    ['GET', '/api/v1/admin/accounts/someone'],
    ['GET', '/api/v1/admin/accounts/someone/customers'],
    ['DELETE', '/api/v1/admin/accounts/someone/customers/CUS-0001'],
  ])('in %s %s is logged once with the id that the client was told', async (method, path) => {
    const log = openLog();
    const records = broken(() => {
      throw error;
    });
    const response = await ask({ records, identity: anyone, adminKey: KEY, log }, path, {
      method,
      headers: path.includes('/admin') ? AS_OPERATOR : AS_ACCOUNT,
      ...((method === 'POST' || method === 'PATCH') && { body: '{}' }),
    });
    expect(response.status).toBe(500);
    const { meta } = await response.json();
    expect(meta.request_id).toMatch(/^req_[0-9a-f]{16}$/);
    expect(log.errors).toHaveLength(1);
    expect(log.errors[0]).toMatchObject({ error, fields: { request_id: meta.request_id } });
  });

  it('in the identity provider is answered and logged in the same way', async () => {
    const log = openLog();
    const identity: IdentityProvider = { identify: () => Promise.reject(error) };
    const records = await openRecords({ storage: forgetful });
    const headers = AS_ACCOUNT;
    const response = await ask({ records, identity, log }, '/api/v1/customers', { headers });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('SQLITE');
    expect(log.errors).toHaveLength(1);
  });

  it("in storage's round trip makes the operator's health view report it, with 200", async () => {
    const records = broken(() => {
      throw error;
    });
    // `ping` "rejects where there is none": a promise, never a throw.
    const ping = () => Promise.reject(error);
    const log = openLog();
    const dependencies = { records: { ...records, operator: { ...records.operator, ping } } };
    const response = await ask(
      { ...dependencies, adminKey: KEY, log } as HandlerDependencies,
      '/api/v1/admin/health',
      { headers: AS_OPERATOR },
    );
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(JSON.parse(text).data).toMatchObject({ status: 'degraded', database: 'unavailable' });
    expect(text).not.toContain('SQLITE');
  });
});

describe('a handler with records and no other part', () => {
  const bare = async (path: string, init?: RequestInit) =>
    ask({ records: await openRecords({ storage: forgetful }) }, path, init);

  it('never lets a caller in: 503 to every bearer token, 401 without one', async () => {
    const refused = await bare('/api/v1/customers', { headers: AS_ACCOUNT });
    expect(refused.status).toBe(503);
    expect((await refused.json()).error.message).toMatch(/must set AUTH_USERINFO_URL or AUTH_ISS/);
    expect((await bare('/api/v1/customers')).status).toBe(401);
  });
});

describe('a handler with every part given', () => {
  it('takes time and randomness from them', async () => {
    let now = Date.UTC(2026, 0, 14);
    const handler = createHandler({
      records: await openRecords({ storage: forgetful }),
      identity: anyone,
      adminKey: KEY,
      clock: () => now,
      randomBytes: (into) => into.fill(0xab),
    });
    now += 3_661_999;
    const url = 'http://localhost/api/v1/admin/health';
    const response = await handler(new Request(url, { headers: AS_OPERATOR }));
    const { data, meta } = await response.json();
    expect(meta).toEqual({
      request_id: 'req_abababababababab',
      timestamp: '2026-01-14T01:01:01.999Z',
    });
    expect(data).toEqual({
      status: 'ok',
      database: 'ok',
      uptime_seconds: 3661,
      identity_provider_configured: true,
      admin_configured: true,
    });
  });

  it('takes the body from the host when the host has a quicker way', async () => {
    const records = await openRecords({ storage: forgetful });
    const handler = createHandler({ records, identity: anyone });
    const request = new Request('http://localhost/api/v1/businesses', {
      method: 'POST',
      headers: AS_ACCOUNT,
      body: '{"from":"the request"}',
    });
    const readBody = async () => new TextEncoder().encode('{"from":"the host"}');
    const response = await handler(request, { readBody });
    expect(response.status).toBe(201);
    expect((await response.json()).data.from).toBe('the host');
    expect(request.bodyUsed).toBe(false);
  });
});

describe('methods are case-sensitive', () => {
  it.each(['Patch', 'pATCH', 'FOO', 'constructor', '__proto__', 'toString', 'M-SEARCH'])(
    '%s is 405',
    async (method) => {
      const records = await openRecords({ storage: forgetful });
      const init = { method, headers: AS_ACCOUNT };
      const path = '/api/v1/customers/CUS-0001';
      const response = await ask({ records, identity: anyone }, path, init);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, PATCH, DELETE');
    },
  );
});
