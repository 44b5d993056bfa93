// What the client does when the connection or the response fails: misbehaving servers over real
// sockets.

import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { ApiError, type Client, createClient } from 'service-management-api/client';
import { createOperatorClient } from 'service-management-api/operator-client';
import { afterEach, expect, it, vi } from 'vitest';
import { type LocalServer, listenLocally } from '../support/listen.js';
import { ROOT } from '../support/pages.js';

const PAGINATION = { page: 1, page_size: 20, total: 0, total_pages: 0 };
const EMPTY_LIST = JSON.stringify({
  data: [],
  meta: { request_id: 'req_1', timestamp: '2026-01-14T14:02:11Z', pagination: PAGINATION },
});

let server: LocalServer | undefined;

afterEach(async () => {
  vi.unstubAllGlobals();
  await server?.close();
  server = undefined;
});

/** A client of a server with this listener, and the methods of the requests it received. */
async function clientOf(listener: RequestListener, options = {}) {
  const asked: string[] = [];
  const listening = createServer((request, response) => {
    asked.push(request.method ?? '');
    listener(request, response);
  });
  server = await listenLocally(listening);
  const baseUrl = `${server.origin}/api/v1/`;
  return { asked, client: createClient({ baseUrl, token: 'a-token', ...options }) };
}

/** A listener that sends this response. */
function answering(status: number, body: string, headers = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'X-Request-ID': 'a', ...headers });
    response.end(body);
  };
}

function errorOf(call: Promise<unknown>) {
  return call.catch((reason: unknown) => reason);
}

it('Only a read is retried after a failed connection or an incomplete response', async () => {
  const { asked, client } = await clientOf((request, response) => {
    if (asked.length === 4) return void response.end(EMPTY_LIST);
    if (asked.length !== 2) return void request.socket.destroy();
    response.writeHead(200, { 'Content-Length': EMPTY_LIST.length });
    response.write(EMPTY_LIST.slice(0, 10), () => request.socket.destroy());
  });
  const failed = { code: 'CONNECTION_FAILED', status: undefined, cause: expect.anything() };
  const order = { customer: 'A', service: 'B', amount: 1 };
  await expect(client.orders.create(order)).rejects.toMatchObject(failed);
  expect((await client.orders.list()).items).toEqual([]);
  await expect(client.orders.list()).rejects.toMatchObject(failed);
  expect(asked).toEqual(['POST', 'GET', 'GET', 'GET', 'GET', 'GET', 'GET']);
});

it.each([
  ['Next.js', Object.assign(new Error('Dynamic'), { digest: 'DYNAMIC_SERVER_USAGE' })],
  ['Next.js 14', Object.assign(new Error(), { code: 'NEXT_STATIC_GEN_BAILOUT' })],
  ['React', { $$typeof: Symbol.for('react.postpone') }],
])("A framework's own error is rethrown unchanged: %s", async (_name, thrown) => {
  const throwing = vi.fn().mockRejectedValue(thrown);
  for (const own of [{ fetch: throwing }, { token: throwing }]) {
    const { customers } = createClient({ baseUrl: 'http://127.0.0.1', token: 'a-token', ...own });
    await expect(customers.list()).rejects.toBe(thrown);
  }
  expect(throwing).toHaveBeenCalledTimes(2);
});

const later = {
  'Retry-After': 'Wed, 14 Jan 2026 14:02:41 GMT',
  Date: 'Wed, 14 Jan 2026 14:02:11 GMT',
};
const inWords = (code: string, message: string) =>
  JSON.stringify({ error: { code, message }, meta: {} });
const ofFields = 'the record would have 9 characters of JSON';
it.each<[status: number, body: string, wanted: object, headers?: object]>([
  // Not from the service.
  [502, '<h1>Bad gateway</h1>', { code: 'UNEXPECTED_ANSWER', requestId: 'a' }],
  [200, '<h1>Welcome to our Wi-Fi</h1>', { code: 'UNEXPECTED_ANSWER', requestId: 'a' }],
  [404, '{"message":"no such app"}', { code: 'UNEXPECTED_ANSWER' }],
  // From a proxy, whatever its body.
  [429, '<html>', { code: 'RATE_LIMITED', retryAfterMs: 30_000 }, later],
  [429, '<html>', { code: 'RATE_LIMITED', retryAfterMs: undefined }],
  [503, inWords('CODE_OF_TOMORROW', 'm'), { code: 'CODE_OF_TOMORROW', message: 'm' }],
  [422, inWords('VALIDATION_FAILED', ofFields), { message: ofFields, fields: {} }],
])('A response %i %s is reported as %o', async (status, body, wanted, headers) => {
  const { asked, client } = await clientOf(answering(status, body, headers));
  const error = await errorOf(client.customers.list());
  expect(error).toMatchObject({ status, ...wanted });
  // As a log prints it.
  const facts = { name: 'ApiError', status, requestId: 'a', message: (error as Error).message };
  expect(JSON.parse(JSON.stringify(error))).toMatchObject(facts);
  expect(asked).toEqual(['GET']);
});

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
const bad = { code: 'INVALID_CALL' };
const addressWords = expect.stringMatching(/^baseUrl is ".*"; it must start with https:/);
const badAddress = { ...bad, message: addressWords };
const none = { code: 'NO_TOKEN' };
const SIGNED_OUT = new Error('signed out');
const signedOut = () => Promise.reject(SIGNED_OUT);
const list = ({ orders }: Client): Promise<unknown> => orders.list();

it.each<[what: string, options: object, call: typeof list, wanted: object]>([
  ['a body with a cycle', {}, ({ orders }) => orders.create(cycle as never), bad],
  ['an id that is no Unicode', {}, ({ orders }) => orders.read('\ud800'), bad],
  ['a token that no header can hold', { token: 'two\nlines' }, list, bad],
  ['a token function that fails', { token: signedOut }, list, { ...none, cause: SIGNED_OUT }],
  ['an empty token', { token: '' }, list, none],
  ['a base URL without a host', { baseUrl: '/api/v1' }, list, badAddress],
  ['a base URL without a scheme', { baseUrl: 'localhost:8080/api/v1' }, list, badAddress],
])('Nothing is sent for %s', async (_, options, call, wanted) => {
  const { asked, client } = await clientOf(() => {}, options);
  const error = await errorOf(call(client));
  expect(error).toMatchObject(wanted);
  // It never quotes a token.
  expect(`${error} ${JSON.stringify(error)} ${(error as Error).cause}`).not.toContain('two');
  expect(asked).toEqual([]);
});

it('The client follows no redirect, because fetch would send the admin key along', async () => {
  const { asked } = await clientOf((_request, response) => {
    response.writeHead(307, { Location: server?.origin.replace('127.0.0.1', 'localhost') });
    response.end();
  });
  const baseUrl = `${server?.origin}/api/v1`;
  const call = createOperatorClient({ baseUrl, adminKey: 'k' }).overview();
  expect(await errorOf(call)).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 307 });
  expect(asked).toEqual(['GET']);
});

it('A base URL may be relative in a page, or with a custom fetch', async () => {
  const listed = (baseUrl: string, options = {}) =>
    errorOf(createClient({ baseUrl, token: 't', ...options }).customers.list());
  const fetch = vi.fn(async (_url: string) => new Response(EMPTY_LIST));
  expect(await listed('/api/v1', { fetch })).toMatchObject({ items: [] });
  vi.stubGlobal('fetch', fetch);
  vi.stubGlobal('location', new URL('http://localhost:5173/'));
  expect(await listed('/api/v1')).toMatchObject({ items: [] });
  expect(fetch.mock.calls.map(([url]) => url)).toEqual(Array(2).fill('/api/v1/customers'));
  expect(await listed('localhost:8080/api/v1')).toMatchObject(bad);
});

it('An error of another copy of the client is an ApiError, too', async () => {
  const file = pathToFileURL(join(ROOT, 'dist/cjs/client.js')).href;
  const other: { ApiError: typeof ApiError } = await import(file);
  const error = new other.ApiError('NO_TOKEN', 'signed out');
  expect(other.ApiError).not.toBe(ApiError);
  expect([error instanceof ApiError, error instanceof other.ApiError]).toEqual([true, true]);
  for (const value of [null, { name: 'ApiError' }]) expect(value instanceof ApiError).toBe(false);
  // Logs show the name that programs import.
  expect(inspect(new ApiError('NO_TOKEN', 'signed out'))).toMatch(/^ApiError: signed out/);
});

it('A call waits for its token until the caller aborts it', async () => {
  const controller = new AbortController();
  const token = () => new Promise<string>(() => controller.abort());
  const { customers } = createClient({ baseUrl: 'http://127.0.0.1', token });
  const listing = customers.list({}, { signal: controller.signal });
  await expect(listing).rejects.toMatchObject({ code: 'ABORTED' });
});
