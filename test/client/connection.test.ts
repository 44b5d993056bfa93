// What the client does when the connection or the answer fails: servers that
// misbehave on purpose, over real sockets.

import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApiError, type Client, createClient } from 'service-management-api/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, onLoopback } from '../support/loopback.js';
import { ROOT } from '../support/pages.js';

const PAGINATION = { page: 1, page_size: 20, total: 0, total_pages: 0 };
const EMPTY_LIST = JSON.stringify({
  data: [],
  meta: { request_id: 'req_1', timestamp: '2026-01-14T14:02:11Z', pagination: PAGINATION },
});

let server: Loopback | undefined;

afterEach(async () => {
  vi.unstubAllGlobals();
  await server?.close();
  server = undefined;
});

/** A client of a server that answers by the listener, and the methods that the server was asked with. */
async function clientOf(listener: RequestListener, options = {}) {
  const asked: string[] = [];
  const listening = createServer((request, response) => {
    asked.push(request.method ?? '');
    listener(request, response);
  });
  server = await onLoopback(listening);
  const baseUrl = `${server.origin}/api/v1/`;
  return { asked, client: createClient({ baseUrl, token: 'a-token', ...options }) };
}

/** A listener that gives this answer. */
function answering(status: number, body: string, headers = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'X-Request-ID': 'a', ...headers });
    response.end(body);
  };
}

function errorOf(call: Promise<unknown>) {
  return call.catch((reason: unknown) => reason);
}

describe('A connection that fails', () => {
  const calls: [string, (client: Client) => Promise<unknown>, string[]][] = [
    ['create', ({ orders }) => orders.create({ customer: 'A', service: 'B', amount: 1 }), ['POST']],
    ['update', ({ orders }) => orders.update('ORD-0001', { paid: 2 }), ['PATCH']],
    ['delete', ({ orders }) => orders.delete('ORD-0001'), ['DELETE']],
    ['list', ({ orders }) => orders.list(), ['GET', 'GET', 'GET']],
  ];
  it.each(calls)('is tried again for a read alone: %s', async (_, call, methods) => {
    const { asked, client } = await clientOf((request) => request.socket.destroy());
    const cause = expect.anything();
    const wanted = { code: 'CONNECTION_FAILED', status: undefined, cause };
    await expect(call(client)).rejects.toMatchObject(wanted);
    expect(asked).toEqual(methods);
  });

  it('is not reported when a later try of a read is answered, also after half an answer', async () => {
    const { asked, client } = await clientOf((request, response) => {
      if (asked.length === 3) return void response.end(EMPTY_LIST);
      if (asked.length === 1) return void request.socket.destroy();
      response.writeHead(200, { 'Content-Length': EMPTY_LIST.length });
      response.write(EMPTY_LIST.slice(0, 10), () => request.socket.destroy());
    });
    expect((await client.customers.list()).items).toEqual([]);
    expect(asked).toHaveLength(3);
  });
});

it.each([
  ['Next.js', Object.assign(new Error('Dynamic'), { digest: 'DYNAMIC_SERVER_USAGE' })],
  ['Next.js, by a code', Object.assign(new Error(), { code: 'NEXT_STATIC_GEN_BAILOUT' })],
  ['React', { $$typeof: Symbol.for('react.postpone') }],
])("A framework's own error passes through the call as it is: %s", async (_name, thrown) => {
  const throwing = vi.fn().mockRejectedValue(thrown);
  const options = { baseUrl: 'http://127.0.0.1/api/v1', token: 'a-token' };
  const ofFetch = createClient({ ...options, fetch: throwing });
  await expect(ofFetch.customers.list()).rejects.toBe(thrown);
  const ofToken = createClient({ ...options, token: throwing });
  await expect(ofToken.customers.list()).rejects.toBe(thrown);
  expect(throwing).toHaveBeenCalledTimes(2);
});

describe('An answer', () => {
  it('that does not come in time is TIMED_OUT, and the call is not tried again', async () => {
    const { asked, client } = await clientOf(() => {}, { timeoutMs: 100 });
    await expect(client.customers.list()).rejects.toMatchObject({ code: 'TIMED_OUT' });
    expect(asked).toEqual(['GET']);
  });

  it('is not waited for after the caller ends the call, and neither is a token', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = { code: 'ABORTED', cause: new Error('the user went away') };
    const { asked, client } = await clientOf(() => controller.abort(aborted.cause));
    await expect(client.customers.list({}, { signal })).rejects.toMatchObject(aborted);
    expect(asked).toEqual(['GET']);
    const { client: waiting } = await clientOf(() => {}, { token: () => new Promise(() => {}) });
    await expect(waiting.customers.list({}, { signal })).rejects.toMatchObject(aborted);
  });

  it.each([
    [502, '<h1>Bad gateway</h1>'],
    [200, '<h1>Welcome to our Wi-Fi</h1>'],
    [200, 'null'],
    [404, '{"message":"no such app"}'],
  ])('%i %s is UNEXPECTED_ANSWER: it is not from the service', async (status, body) => {
    const { asked, client } = await clientOf(answering(status, body));
    const wanted = { code: 'UNEXPECTED_ANSWER', status, requestId: 'a' };
    await expect(client.customers.list()).rejects.toMatchObject(wanted);
    expect(asked).toEqual(['GET']);
  });

  it.each([
    ['seconds', { 'Retry-After': '3' }, 3_000],
    ['a date', { 'Retry-After': 'Wed, 14 Jan 2026 14:02:41 GMT' }, 30_000],
    ['nothing', {}, undefined],
  ])('of a proxy, 429 with %s, is RATE_LIMITED, whatever its body', async (_, headers, wait) => {
    const date = { Date: 'Wed, 14 Jan 2026 14:02:11 GMT' };
    const { client } = await clientOf(answering(429, '<html>', { ...headers, ...date }));
    const wanted = { code: 'RATE_LIMITED', status: 429, retryAfterMs: wait };
    await expect(client.customers.list()).rejects.toMatchObject(wanted);
  });

  it.each([
    [503, 'CODE_OF_TOMORROW', 'm', {}],
    [422, 'VALIDATION_FAILED', 'the record would have 9 characters of JSON', { fields: {} }],
  ])(
    '%i %s is told as it is, also where no field is at fault',
    async (status, code, message, more) => {
      const body = JSON.stringify({ error: { code, message }, meta: {} });
      const { client } = await clientOf(answering(status, body));
      const wanted = { code, status, message, ...more };
      await expect(client.customers.list()).rejects.toMatchObject(wanted);
    },
  );
});

describe('Nothing is sent', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const bad = { code: 'INVALID_CALL' };
  it.each([
    ['a body with a cycle', {}, (client: Client) => client.orders.create(cycle as never), bad],
    ['a BigInt', {}, ({ orders }: Client) => orders.update('O', { amount: 1n as never }), bad],
    ['an id that is no Unicode', {}, ({ orders }: Client) => orders.read('\ud800'), bad],
    ['a token that no header can hold', { token: 'two\nlines' }, undefined, bad],
    [
      'a token that cannot be had',
      { token: () => Promise.reject(new Error('signed out')) },
      undefined,
      { code: 'NO_TOKEN', cause: { message: 'signed out' } },
    ],
    ['no token', { token: () => undefined as never }, undefined, { code: 'NO_TOKEN' }],
    ['an empty token', { token: '' }, undefined, { code: 'NO_TOKEN' }],
  ])('for %s', async (_, options, call, wanted) => {
    const { asked, client } = await clientOf(() => {}, options);
    const error = await errorOf((call ?? (() => client.customers.list()))(client));
    expect(error).toMatchObject(wanted);
    // It never quotes a token.
    expect(`${error} ${JSON.stringify(error)} ${(error as Error).cause}`).not.toContain('two');
    expect(asked).toEqual([]);
  });
});

describe('A base URL', () => {
  const asked = async (baseUrl: string, options = {}) =>
    errorOf(createClient({ baseUrl, token: 't', ...options }).customers.list());

  it.each(['/api/v1', 'api/v1', '', 'localhost:8080/api/v1', 'ftp://localhost/api/v1'])(
    'that Node cannot call is INVALID_CALL, and says what it must be: %j',
    async (baseUrl) => {
      const platform = vi.fn();
      vi.stubGlobal('fetch', platform);
      const message = expect.stringMatching(/^baseUrl is ".*"; it must begin with https:/);
      expect(await asked(baseUrl)).toMatchObject({ code: 'INVALID_CALL', message });
      expect(platform).not.toHaveBeenCalled();
    },
  );

  it('may be relative in a page, and wherever the program has a fetch of its own', async () => {
    const fetch = vi.fn(async (_url: string) => new Response(EMPTY_LIST));
    expect(await asked('/api/v1', { fetch })).toMatchObject({ items: [] });
    vi.stubGlobal('fetch', fetch);
    vi.stubGlobal('location', new URL('http://localhost:5173/'));
    expect(await asked('/api/v1')).toMatchObject({ items: [] });
    expect(fetch.mock.calls.map(([url]) => url)).toEqual(Array(2).fill('/api/v1/customers'));
    expect(await asked('localhost:8080/api/v1')).toMatchObject({ code: 'INVALID_CALL' });
  });
});

describe('An error', () => {
  it('is written to a log with all of its properties', async () => {
    const body = '{"error":{"message":"later"}}';
    const { client } = await clientOf(answering(429, body, { 'Retry-After': '3' }));
    const error = await errorOf(client.customers.list());
    expect(error).toBeInstanceOf(ApiError);
    const facts = { status: 429, requestId: 'a', retryAfterMs: 3000 };
    const wanted = { name: 'ApiError', code: 'RATE_LIMITED', message: 'later', ...facts };
    expect(JSON.parse(JSON.stringify(error))).toEqual(wanted);
  });

  it('is an ApiError to another copy of the client, too', async () => {
    const file = pathToFileURL(join(ROOT, 'dist/cjs/client.js')).href;
    const other: { ApiError: typeof ApiError } = await import(file);
    const error = new other.ApiError('NO_TOKEN', 'signed out');
    expect(other.ApiError).not.toBe(ApiError);
    expect([error instanceof ApiError, error instanceof other.ApiError]).toEqual([true, true]);
    for (const value of [new Error('a'), null, undefined, 'ApiError', { name: 'ApiError' }]) {
      expect(value instanceof ApiError).toBe(false);
    }
  });
});
