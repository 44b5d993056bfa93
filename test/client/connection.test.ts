// What the client does when the connection or the answer fails: servers that
// misbehave on purpose, over real sockets.

import { copyFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApiError, type Client, createClient } from 'service-management-api/client';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Loopback, onLoopback } from '../support/loopback.js';
import { ROOT } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const EMPTY_LIST = JSON.stringify({
  data: [],
  meta: {
    request_id: 'req_1',
    timestamp: '2026-01-14T14:02:11Z',
    pagination: { page: 1, page_size: 20, total: 0, total_pages: 0 },
  },
});

let server: Loopback | undefined;

afterEach(async () => {
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

const CHANGES: readonly [string, (client: Client) => Promise<unknown>][] = [
  ['POST', ({ customers }) => customers.create({ name: 'A', phone: '1' })],
  ['PATCH', ({ customers }) => customers.update('CUS-0001', { phone: '2' })],
  ['DELETE', ({ customers }) => customers.delete('CUS-0001')],
];

describe('A connection that fails', () => {
  it.each(CHANGES)('is not retried for a %s', async (method, change) => {
    const { asked, client } = await clientOf((request) => request.socket.destroy());
    await expect(change(client)).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      status: undefined,
      cause: expect.anything(),
    });
    expect(asked).toEqual([method]);
  });

  it('is retried twice for a read, then the call fails', async () => {
    const { asked, client } = await clientOf((request) => request.socket.destroy());
    await expect(client.customers.list()).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(asked).toEqual(['GET', 'GET', 'GET']);
  });

  it('is not reported when a later try of a read is answered, also after half an answer', async () => {
    const { asked, client } = await clientOf((request, response) => {
      if (asked.length === 1) {
        request.socket.destroy();
      } else if (asked.length === 2) {
        response.writeHead(200, { 'Content-Length': EMPTY_LIST.length });
        response.write(EMPTY_LIST.slice(0, 10), () => request.socket.destroy());
      } else {
        response.end(EMPTY_LIST);
      }
    });
    expect((await client.customers.list()).items).toEqual([]);
    expect(asked).toHaveLength(3);
  });
});

describe("A framework's own errors", () => {
  it.each([
    [
      'Next.js',
      Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' }),
    ],
    ['Next.js, by a code', Object.assign(new Error(), { code: 'NEXT_STATIC_GEN_BAILOUT' })],
    ['React', { $$typeof: Symbol.for('react.postpone') }],
  ])('pass through the call as they are: %s', async (_name, thrown) => {
    let tries = 0;
    const throwing = async () => {
      tries++;
      throw thrown;
    };
    const baseUrl = 'http://127.0.0.1/api/v1';
    const ofFetch = createClient({ baseUrl, token: 'a-token', fetch: throwing });
    await expect(ofFetch.customers.list()).rejects.toBe(thrown);
    const ofToken = createClient({ baseUrl, token: throwing });
    await expect(ofToken.customers.list()).rejects.toBe(thrown);
    expect(tries).toBe(2);
  });
});

describe('An answer', () => {
  it('that does not come in time is TIMED_OUT, and the call is not retried', async () => {
    let tries = 0;
    const counted = (url: string, init: RequestInit) => {
      tries++;
      return fetch(url, init);
    };
    const { client } = await clientOf(() => {}, { timeoutMs: 50, fetch: counted });
    await expect(client.customers.list()).rejects.toMatchObject({ code: 'TIMED_OUT' });
    expect(tries).toBe(1);
  });

  it('is not waited for after the caller ends the call, and neither is a token', async () => {
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const { asked, client } = await clientOf(() => controller.abort(reason));
    const aborted = { code: 'ABORTED', cause: reason };
    const list = client.customers.list({}, { signal: controller.signal });
    await expect(list).rejects.toMatchObject(aborted);
    expect(asked).toEqual(['GET']);
    const { client: waiting } = await clientOf(() => {}, { token: () => new Promise(() => {}) });
    const none = waiting.customers.list({}, { signal: controller.signal });
    await expect(none).rejects.toMatchObject(aborted);
  });

  it.each([
    [502, '<h1>Bad gateway</h1>'],
    [200, '<h1>Welcome to our Wi-Fi</h1>'],
    [200, 'null'],
    [404, '{"message":"no such app"}'],
  ])('%i %s is UNEXPECTED_ANSWER: it is not from the service', async (status, body) => {
    const { asked, client } = await clientOf((_request, response) => {
      response.writeHead(status, { 'X-Request-ID': 'of-the-proxy' });
      response.end(body);
    });
    await expect(client.customers.list()).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      status,
      requestId: 'of-the-proxy',
    });
    expect(asked).toEqual(['GET']);
  });
});

describe('A proxy that asks for fewer requests', () => {
  it.each([
    ['seconds', { 'Retry-After': '3' }, 3_000],
    ['a date', { 'Retry-After': 'Wed, 14 Jan 2026 14:02:41 GMT' }, 30_000],
    ['a date that is over', { 'Retry-After': 'Wed, 14 Jan 2026 14:02:01 GMT' }, 0],
    ['nothing', {}, undefined],
    ['nonsense', { 'Retry-After': 'soon' }, undefined],
  ])('and says when with %s is RATE_LIMITED, whatever its body', async (_, headers, wait) => {
    const { asked, client } = await clientOf((_request, response) => {
      response.writeHead(429, { ...headers, Date: 'Wed, 14 Jan 2026 14:02:11 GMT' });
      response.end('<html>Too Many Requests</html>');
    });
    await expect(client.customers.list()).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      retryAfterMs: wait,
    });
    expect(asked).toEqual(['GET']);
  });
});

describe('A token', () => {
  it.each([
    ['cannot be had', () => Promise.reject(new Error('signed out')), { message: 'signed out' }],
    ['is none', () => undefined as never, undefined],
    ['is empty', () => '', undefined],
  ])('that %s fails the call with NO_TOKEN, and nothing is sent', async (_, token, cause) => {
    const { asked, client } = await clientOf(() => {}, { token });
    const error = await client.customers.list().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'NO_TOKEN', ...(cause && { cause }) });
    expect(asked).toEqual([]);
  });

  it('that no header can hold fails the call at once, and the error does not quote it', async () => {
    const { asked, client } = await clientOf(() => {}, { token: 'two\nlines' });
    const error = await client.customers.list().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'INVALID_CALL' });
    expect(`${error} ${JSON.stringify(error)} ${(error as Error).cause}`).not.toContain('two');
    expect(asked).toEqual([]);
  });
});

describe('A base URL', () => {
  const asked = async (baseUrl: string, options = {}) => {
    const client = createClient({ baseUrl, token: 't', ...options });
    return client.customers.list().catch((error: unknown) => error);
  };

  afterEach(() => vi.unstubAllGlobals());

  it.each(['/api/v1', 'api/v1', '', 'localhost:8080/api/v1', 'ftp://localhost/api/v1'])(
    'that Node cannot call is INVALID_CALL, and says what it must be: %j',
    async (baseUrl) => {
      const platform = vi.fn();
      vi.stubGlobal('fetch', platform);
      expect(await asked(baseUrl)).toMatchObject({
        code: 'INVALID_CALL',
        message: expect.stringMatching(/^baseUrl is ".*"; it must begin with https:/),
      });
      expect(platform).not.toHaveBeenCalled();
    },
  );

  it('may be relative in a page, and wherever the program has a fetch of its own', async () => {
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return new Response(EMPTY_LIST);
    };
    expect(await asked('/api/v1', { fetch })).toMatchObject({ items: [] });
    vi.stubGlobal('fetch', fetch);
    vi.stubGlobal('location', new URL('http://localhost:5173/'));
    expect(await asked('/api/v1')).toMatchObject({ items: [] });
    expect(urls).toEqual(['/api/v1/customers', '/api/v1/customers']);
    expect(await asked('localhost:8080/api/v1')).toMatchObject({ code: 'INVALID_CALL' });
  });
});

describe('A call that cannot be sent', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  it.each([
    ['a body with a cycle', (client: Client) => client.orders.create(cycle as never)],
    ['a BigInt', (client: Client) => client.orders.update('ORD-1', { amount: 1n as never })],
    ['an id that is no Unicode', (client: Client) => client.orders.read('\ud800')],
  ])('is INVALID_CALL: %s', async (_, call) => {
    const { asked, client } = await clientOf(() => {});
    await expect(call(client)).rejects.toMatchObject({ code: 'INVALID_CALL' });
    expect(asked).toEqual([]);
  });
});

describe('An error', () => {
  it('is written to a log with all of its properties', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(429, { 'Retry-After': '3', 'X-Request-ID': 'a' });
      response.end('{"error":{"message":"later"}}');
    });
    const error = await client.customers.list().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ApiError',
      code: 'RATE_LIMITED',
      message: 'later',
      status: 429,
      requestId: 'a',
      retryAfterMs: 3000,
    });
  });

  it('is an ApiError to another copy of the client, too', async () => {
    const folder = await openTemporaryFolder();
    onTestFinished(() => folder.remove());
    for (const name of ['client.js', 'client-shared.js']) {
      for (const file of [name, `${name}.map`]) {
        await copyFile(join(ROOT, 'dist', file), join(folder.path, file));
      }
    }
    await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
    const other: { ApiError: typeof ApiError } = await import(
      pathToFileURL(join(folder.path, 'client.js')).href
    );
    const error = new other.ApiError('NO_TOKEN', 'signed out');
    expect(other.ApiError).not.toBe(ApiError);
    expect([error instanceof ApiError, error instanceof other.ApiError]).toEqual([true, true]);
    for (const value of [new Error('a'), null, undefined, 'ApiError', { name: 'ApiError' }]) {
      expect(value instanceof ApiError).toBe(false);
    }
  });

  it('keeps a code that the client does not know', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(503, { 'X-Request-ID': 'a' });
      response.end('{"error":{"code":"CODE_OF_TOMORROW","message":"m"},"meta":{}}');
    });
    const later = { code: 'CODE_OF_TOMORROW', status: 503, message: 'm' };
    await expect(client.customers.list()).rejects.toMatchObject(later);
  });

  it('names no field when the record as a whole is refused', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(422, { 'X-Request-ID': 'a' });
      const message = 'the record would have 9 characters of JSON; it may have 8, spread it';
      response.end(JSON.stringify({ error: { code: 'VALIDATION_FAILED', message }, meta: {} }));
    });
    await expect(client.customers.list()).rejects.toMatchObject({ fields: {} });
  });
});
