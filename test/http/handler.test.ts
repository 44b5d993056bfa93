// The handler by itself, as a program embeds it: defaults, unexpected errors (500 `INTERNAL_ERROR`,
// the text in the log), scheduling, and disconnected clients.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  createHandler,
  FairScheduler,
  type HandlerDependencies,
  type IdentityProvider,
  openRecords,
  type RecordService,
} from '../../src/handler.js';
import { localIdentity, openMemoryStorage } from '../../src/memory.js';
import { memoryLog } from '../support/memory-log.js';

const KEY = 'the-operator-key-of-the-handler-tests';
const AS_NEEMA = { Authorization: 'Bearer local-neema' };
const AS_OPERATOR = { 'X-Service-Admin-Key': KEY };
const SECRET = 'SQLITE_CORRUPT: page 7 of /srv/data/service.db';

/** A handler that accepts any `local-NAME` and the key, over records in memory. */
async function open(dependencies: Partial<HandlerDependencies> = {}) {
  const { scheduler = new FairScheduler() } = dependencies;
  const records = await openRecords({ storage: openMemoryStorage(), scheduler });
  return createHandler({ records, identity: localIdentity(), adminKey: KEY, ...dependencies });
}

const asked = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  new Request(`http://localhost/api/v1${path}`, { headers, ...init });

/** Records whose every method fails in the given way. */
function broken(thrown: unknown): RecordService {
  const fail = () => {
    throw thrown;
  };
  const parts = new Proxy({}, { get: () => fail });
  return {
    account: () => parts as ReturnType<RecordService['account']>,
    operator: parts as RecordService['operator'],
  };
}

describe('An unexpected error', () => {
  const error = new Error(SECRET);

  it.each([
    ['GET', '/customers', error],
    ['POST', '/customers', SECRET],
    ['PATCH', '/customers/CUS-0001', undefined],
    ['DELETE', '/admin/accounts/someone/customers/CUS-0001', { message: SECRET }],
  ])(
    'in %s %s is 500 in the envelope, its text only in the log: %s',
    async (method, path, thrown) => {
      const log = memoryLog();
      const handler = await open({ records: broken(thrown), log });
      const headers = path.includes('/admin') ? AS_OPERATOR : AS_NEEMA;
      const body = method === 'POST' || method === 'PATCH' ? '{}' : null;
      const response = await handler(asked(path, headers, { method, body }));
      expect(response.status).toBe(500);
      const text = await response.text();
      expect(text).not.toMatch(/SQLITE|srv/);
      const { error: told, meta } = JSON.parse(text);
      expect(told.code).toBe('INTERNAL_ERROR');
      expect(meta.request_id).toBe(response.headers.get('x-request-id'));
      const fields = { request_id: meta.request_id, error: String(thrown) };
      expect(log.lines).toEqual([{ level: 'error', event: 'request_failed', fields }]);
    },
  );

  it('in the identity provider is handled and logged in the same way', async () => {
    const log = memoryLog();
    const identity: IdentityProvider = { identify: () => Promise.reject(error) };
    const response = await (await open({ identity, log }))(asked('/customers', AS_NEEMA));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('SQLITE');
    expect(log.lines).toHaveLength(1);
  });

  it("in storage's round trip is reported by the operator's health view, with 200", async () => {
    const { account, operator } = broken(error);
    // `ping` "rejects if there is none": a promise, never a throw.
    const ping = () => Promise.reject(error);
    const handler = await open({ records: { account, operator: { ...operator, ping } } });
    const response = await handler(asked('/admin/health', AS_OPERATOR));
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(JSON.parse(text).data).toMatchObject({ status: 'degraded', database: 'unavailable' });
    expect(text).not.toContain('SQLITE');
  });
});

it('A handler with only records rejects every caller', async () => {
  const handler = createHandler({ records: await openRecords({ storage: openMemoryStorage() }) });
  const refused = await handler(asked('/customers', AS_NEEMA));
  expect(refused.status).toBe(503);
  expect((await refused.json()).error.message).toMatch(/must set AUTH_USERINFO_URL or AUTH_ISS/);
  expect((await handler(asked('/customers', {}))).status).toBe(401);
});

it('A handler takes time and randomness from its options', async () => {
  let now = Date.UTC(2026, 0, 14);
  const handler = await open({ clock: () => now, randomBytes: (into) => into.fill(0xab) });
  now += 3_661_999;
  const { data, meta } = await (await handler(asked('/admin/health', AS_OPERATOR))).json();
  const timestamp = '2026-01-14T01:01:01.999Z';
  expect(meta).toEqual({ request_id: 'req_abababababababab', timestamp });
  expect(data).toEqual({
    ...{ status: 'ok', database: 'ok', uptime_seconds: 3661 },
    ...{ identity_provider_configured: true, admin_configured: true },
  });
});

it('A handler reads the body through the host if the host has a quicker way', async () => {
  const init = { method: 'POST', body: '{"from":"the request"}' };
  const request = asked('/businesses', AS_NEEMA, init);
  const readBody = async () => new TextEncoder().encode('{"from":"the host"}');
  const response = await (await open())(request, { readBody });
  expect(response.status).toBe(201);
  expect((await response.json()).data.from).toBe('the host');
  expect(request.bodyUsed).toBe(false);
});

it.each(['Patch', 'constructor'])(
  'The method %s is 405: methods are case-sensitive',
  async (method) => {
    const response = await (await open())(asked('/customers/CUS-0001', AS_NEEMA, { method }));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, PATCH, DELETE');
  },
);

it.each(['the host', "the request's signal"])(
  'A write is dropped when %s reports that its client disconnected',
  async (source) => {
    const handler = await open();
    const signal = source === 'the host' ? null : AbortSignal.abort();
    const host = source === 'the host' ? { isDisconnected: () => true } : {};
    const request = asked('/businesses', AS_NEEMA, { method: 'POST', body: '{}', signal });
    const response = await handler(request, host);
    const { error } = await response.json();
    expect([response.status, error.code]).toEqual([400, 'BAD_REQUEST']);
    const stored = await handler(asked('/businesses', AS_NEEMA));
    expect((await stored.json()).data).toEqual([]);
  },
);

it('A request of bounded cost does not queue', async () => {
  // Every slice is spent, and the next turn never comes.
  let now = 0;
  const pause = () => new Promise<void>(() => {});
  const records = await openRecords({ storage: openMemoryStorage() });
  const scheduler = new FairScheduler({ pause, stopwatch: () => (now += 9) });
  const handler = await open({
    scheduler,
    records,
    admission: { accountMaxBytes: 0, ownShareBytes: 2 },
  });
  const ask = async (method: string, path: string, body: string | null = null) => {
    const headers = { ...AS_NEEMA, ...(body !== null && { 'Content-Length': `${body.length}` }) };
    return (await handler(asked(path, headers, { method, body }))).status;
  };
  const list = ask('GET', '/payments');
  expect(await ask('POST', '/businesses', '{}')).toBe(201);
  expect(await ask('GET', '/businesses/BIZ-0002')).toBe(200);
  expect(await ask('PATCH', '/businesses/BIZ-0002', '{}')).toBe(200);
  expect(await ask('GET', '/businesses')).toBe(200);
  expect(await ask('DELETE', '/businesses/BIZ-0002')).toBe(200);
  expect(await ask('GET', '/health')).toBe(200);
  expect((await handler(asked('/health', AS_OPERATOR))).status).toBe(200);
  expect(await list).toBe(200);
});

it('Each account and the operator have their own byte limit', async () => {
  const handler = await open({
    // A body of the largest size, once for each.
    admission: { accountMaxBytes: 1_500_000, totalMaxBytes: 10_485_760, ownShareBytes: 0 },
  });
  const read: string[] = [];
  const arrived: (() => void)[] = [];
  const post = (name: string) => {
    const readBody = async () => {
      read.push(name);
      await new Promise<void>((resolve) => arrived.push(resolve));
      return new TextEncoder().encode('{}');
    };
    const isOperator = name === 'operator';
    const path = isOperator ? '/admin/accounts/local-juma/businesses' : '/businesses';
    const headers = isOperator ? AS_OPERATOR : { Authorization: `Bearer local-${name}` };
    return handler(asked(path, headers, { method: 'POST' }), { readBody });
  };
  const sent = ['neema', 'neema', 'juma', 'operator', 'operator'].map(post);
  await setImmediate();
  expect(read.toSorted()).toEqual(['juma', 'neema', 'operator']);
  for (let i = 0; i < sent.length; i++) {
    while (arrived.length <= i) await setImmediate();
    arrived[i]?.();
  }
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
});
