// Refuses cross-origin requests, and sets the security headers of every response. A page of another
// site, or on another port of this machine, can neither read a page nor submit a form. `hono/csrf` is
// laxer: it requires `Origin` or `Sec-Fetch-Site`, not both, and accepts JSON from anywhere.

import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { isLoopback } from '../../hosts/settings/addresses.js';

export interface ConsoleAddress {
  /** The https origin that browsers use; undefined: http on loopback. */
  readonly origin: string | undefined;
  /** Where the console listens. */
  readonly port: number;
}

/** Sets the headers of every response, including refusals and error pages. */
export const responseHeaders: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  // With `no-referrer`, browsers send forms with `Origin: null`.
  referrerPolicy: 'same-origin',
  xFrameOptions: 'DENY',
  // Left to the proxy, because it applies to the whole host, including other services.
  strictTransportSecurity: false,
});

/** Refuses requests from elsewhere with 421, 403 or 405. */
export function requestGuard(address: ConsoleAddress): MiddlewareHandler {
  return async (context, next) => {
    const refusal = refusalOf(context.req.raw, address);
    if (refusal === undefined) await next();
    else context.res = refusal;
    if (!context.res.headers.has('Cache-Control')) {
      context.res.headers.set('Cache-Control', 'no-store');
    }
  };
}

/** The console's origin if the request's `Host` is the console's; otherwise undefined. */
function originOf(request: Request, { origin, port }: ConsoleAddress): string | undefined {
  const host = request.headers.get('host') ?? '';
  if (origin !== undefined) return host === new URL(origin).host ? origin : undefined;
  // Other names may resolve to this machine, and their owner controls the page (DNS rebinding).
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const isOurs = url !== undefined && isLoopback(url.hostname) && url.host === host;
  return isOurs && Number(url.port || 80) === port ? url.origin : undefined;
}

function refusalOf(request: Request, address: ConsoleAddress): Response | undefined {
  const { headers, method } = request;
  const refused = (status: number, text: string) => new Response(`${text}\n`, { status });
  const origin = originOf(request, address);
  if (origin === undefined) return refused(421, 'Host is not the console’s address');
  const site = headers.get('sec-fetch-site');
  if (method === 'GET') {
    const isNavigation = (headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate';
    if (isNavigation || site === null || /^(same-origin|none)$/.test(site)) return undefined;
    return refused(403, 'pages of other sites may not load anything from the console');
  }
  if (method !== 'POST') return refused(405, 'the console accepts GET and POST only');
  // Strict, because a page on another port of this machine is "same-site".
  if (headers.get('origin') === origin && site === 'same-origin') return undefined;
  return refused(403, 'this form was not sent by a page of the console');
}
