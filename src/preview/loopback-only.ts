// Protects a service that is open to every program on this machine from web pages of other hosts, which
// may make a browser send requests: across origins, or to a name that resolves to this machine (DNS
// rebinding).

import type { FetchHandler } from '../handler.js';
import { isLoopback } from '../hosts/settings/addresses.js';

const READING_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a `Host` header, with or without a port, names this machine. A missing one does, because browsers always send it. */
export function isLoopbackHost(host: string | null): boolean {
  return !host || isLoopbackUrl(`http://${host}`);
}

/** Whether it is an http or https URL of this machine, on any port. */
function isLoopbackUrl(url: string): boolean {
  return /^https?:/.test(url) && URL.canParse(url) && isLoopback(new URL(url).hostname);
}

/**
 * Wraps a handler for programs and pages of this machine only. A foreign `Host` gets 403. A foreign
 * `Origin` can't read a response, and gets 403 for a request that would change something. The handler
 * itself must admit no origin.
 */
export function loopbackOnly(handler: FetchHandler): FetchHandler {
  return async (request, host) => {
    const origin = request.headers.get('origin');
    if (!isLoopbackHost(request.headers.get('host'))) {
      return refusal('the Host header names another machine; use 127.0.0.1');
    }
    const isOwn = origin !== null && isLoopbackUrl(origin);
    if (origin !== null && !isOwn && !READING_METHODS.includes(request.method)) {
      return refusal("pages from other machines can't change anything; serve it from this one");
    }
    const response = await handler(request, host);
    if (isOwn) {
      response.headers.set('Access-Control-Allow-Origin', origin);
      response.headers.set('Vary', 'Origin');
    }
    return response;
  };
}

function refusal(message: string): Response {
  const meta = { request_id: 'req_preview', timestamp: new Date().toISOString() };
  return Response.json({ error: { code: 'FORBIDDEN', message }, meta }, { status: 403 });
}
