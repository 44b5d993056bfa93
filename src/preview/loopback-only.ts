// For a service that is open to every program on this machine. It refuses requests that a
// web page from elsewhere makes a browser send: from its own origin, or to a name of its
// own that resolves to this machine (DNS rebinding).

import type { HostBindings } from '../core/http/request-body.js';
import { isLoopback } from '../hosts/settings/addresses.js';

type Responder = (request: Request, host: HostBindings) => Response | Promise<Response>;

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a `Host` header, with or without a port, names only this machine. A missing one counts as local, because browsers always send it. */
export function isLoopbackHost(host: string | null | undefined): boolean {
  if (host === null || host === undefined || host === '') return true;
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

/** Whether this machine, on any port, served the page with this `Origin`. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && isLoopback(hostname);
}

/**
 * The responder for programs and pages of this machine. A foreign `Host` gets 403. A
 * foreign `Origin` cannot read an answer, and gets 403 for a request that would change
 * something. The wrapped responder must admit no origin.
 */
export function loopbackOnly(respond: Responder): Responder {
  return async (request, host) => {
    const origin = request.headers.get('origin');
    if (!isLoopbackHost(request.headers.get('host'))) {
      return refusal('the Host header names another machine; use 127.0.0.1');
    }
    if (origin === null) return respond(request, host);
    if (isLoopbackOrigin(origin)) return admitting(await respond(request, host), origin);
    if (READING_METHODS.has(request.method)) return respond(request, host);
    return refusal("pages from other machines can't change anything; serve it from this one");
  };
}

function admitting(response: Response, origin: string): Response {
  response.headers.set('Access-Control-Allow-Origin', origin);
  response.headers.set('Vary', 'Origin');
  return response;
}

function refusal(message: string): Response {
  const meta = { request_id: 'req_preview', timestamp: new Date().toISOString() };
  return new Response(JSON.stringify({ error: { code: 'FORBIDDEN', message }, meta }), {
    status: 403,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-ID': meta.request_id,
    },
  });
}
