// A proxy in front of a service, for tests of clients. It counts the requests of one method, and a
// test may replace the response to each of them.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './listen.js';

export interface Interception {
  /** Only requests with this method are counted. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** A URL of the service; only its origin counts. */
  readonly to: string;
  /** Runs before the request is forwarded. True: it has sent a response itself. `number` counts from 1. */
  before?(response: ServerResponse, number: number): boolean;
  /** Runs after the service has responded. True: it has sent another response itself. */
  after?(response: ServerResponse, number: number): boolean;
}

export async function openInterceptingProxy({ method, to, before, after }: Interception) {
  let number = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const own = request.method === method ? ++number : 0;
    const body = await buffer(request);
    if (own > 0 && before?.(response, own)) return;
    const answered = await fetch(new URL(request.url ?? '/', to), {
      method: request.method ?? 'GET',
      headers: { 'X-Service-Admin-Key': String(request.headers['x-service-admin-key']) },
      ...(body.length > 0 && { body }),
    });
    const text = await answered.text();
    if (own > 0 && after?.(response, own)) return;
    response.writeHead(answered.status, { 'Content-Type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    // The service is down, or one of the two sides has closed its connection.
    answer(request, response).catch(() => response.destroy());
  });
  const { origin, close } = await listenLocally(server);
  return { origin, environment: { SERVICE_URL: `${origin}/api/v1` }, close };
}
