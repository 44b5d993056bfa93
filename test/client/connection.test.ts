// What the client does when the connection or the answer fails: servers that
// misbehave on purpose, over real sockets.

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from 'service-management-api/client';
import { afterEach, describe, expect, it } from 'vitest';

const EMPTY_LIST = JSON.stringify({
  data: [],
  meta: {
    request_id: 'req_1',
    timestamp: '2026-01-14T14:02:11Z',
    pagination: { page: 1, page_size: 20, total: 0, total_pages: 0 },
  },
});

let server: Server | undefined;

afterEach(async () => {
  const closing = server;
  server = undefined;
  if (closing === undefined) return;
  closing.closeAllConnections();
  await new Promise((resolve) => closing.close(resolve));
});

/** A client of a server that answers by the listener, and the methods that the server was asked with. */
async function clientOf(listener: RequestListener, options = {}) {
  const asked: string[] = [];
  const listening = createServer((request, response) => {
    asked.push(request.method ?? '');
    listener(request, response);
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api/v1/`;
  return { asked, client: createClient({ baseUrl, token: 'a-token', ...options }) };
}

const CHANGES: readonly [string, (client: Client) => Promise<unknown>][] = [
  ['POST', ({ customers }) => customers.create({ name: 'A', phone: '1' })],
  ['PATCH', ({ customers }) => customers.update('CUS-0001', { phone: '2' })],
  ['DELETE', ({ customers }) => customers.delete('CUS-0001')],
];

describe('A connection that fails', () => {
  it.each(CHANGES)('is not tried again for a %s', async (method, change) => {
    const { asked, client } = await clientOf((request) => request.socket.destroy());
    await expect(change(client)).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      status: undefined,
      cause: expect.anything(),
    });
    expect(asked).toEqual([method]);
  });

  it('is tried twice again for a read, and then given up', async () => {
    const { asked, client } = await clientOf((request) => request.socket.destroy());
    await expect(client.customers.list()).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(asked).toEqual(['GET', 'GET', 'GET']);
  });

  it('is forgotten where a later try of a read is answered', async () => {
    const { asked, client } = await clientOf((request, response) => {
      if (asked.length < 3) request.socket.destroy();
      else response.end(EMPTY_LIST);
    });
    expect((await client.customers.list()).items).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  it('in the middle of an answer is one, too', async () => {
    const { asked, client } = await clientOf((request, response) => {
      if (asked.length > 1) {
        response.end(EMPTY_LIST);
      } else {
        response.writeHead(200, { 'Content-Length': EMPTY_LIST.length });
        response.write(EMPTY_LIST.slice(0, 10), () => request.socket.destroy());
      }
    });
    expect((await client.customers.list()).items).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});

describe('An answer', () => {
  it('that does not come in time is TIMED_OUT, and nothing is tried again', async () => {
    let tries = 0;
    const counted = (url: string, init: RequestInit) => {
      tries++;
      return fetch(url, init);
    };
    const { client } = await clientOf(() => {}, { timeoutMs: 50, fetch: counted });
    await expect(client.customers.list()).rejects.toMatchObject({ code: 'TIMED_OUT' });
    expect(tries).toBe(1);
  });

  it('is not waited for once the caller ends the call, nor is a token', async () => {
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const { asked, client } = await clientOf(() => controller.abort(reason));
    await expect(client.customers.list({}, { signal: controller.signal })).rejects.toBe(reason);
    expect(asked).toEqual(['GET']);
    const { client: waiting } = await clientOf(() => {}, { token: () => new Promise(() => {}) });
    await expect(waiting.customers.list({}, { signal: controller.signal })).rejects.toBe(reason);
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
  it('that cannot be had fails the call with its own error, and nothing is sent', async () => {
    const reason = new Error('signed out');
    const { asked, client } = await clientOf(() => {}, { token: () => Promise.reject(reason) });
    await expect(client.customers.list()).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  it('that no header can hold fails the call at once', async () => {
    const { asked, client } = await clientOf(() => {}, { token: 'two\nlines' });
    await expect(client.customers.list()).rejects.toThrow(TypeError);
    expect(asked).toEqual([]);
  });
});
