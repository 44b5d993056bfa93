// CORS. The policy is fixed, and credentials are not allowed.

/** The methods of all paths together. */
export const METHODS = 'GET, POST, PATCH, DELETE, OPTIONS';
export const REQUEST_HEADERS = 'Content-Type, Authorization, X-Request-ID';

type OriginHeaders = Readonly<Record<string, string>>;

const ANY_ORIGIN: OriginHeaders = { 'Access-Control-Allow-Origin': '*' };
const NO_ORIGIN: OriginHeaders = {};

/**
 * The headers that allow a request's origin: `*` without a list, or with one that contains `*`; the
 * origin if the list has it, "and then `Vary: Origin` is sent"; otherwise none.
 */
export function originPolicy(
  allowed: readonly string[],
): (request: Pick<Request, 'headers'>) => OriginHeaders {
  if (allowed.length === 0 || allowed.includes('*')) return () => ANY_ORIGIN;
  const origins = new Set(allowed);
  return (request) => {
    const origin = request.headers.get('origin');
    return origin !== null && origins.has(origin)
      ? { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
      : NO_ORIGIN;
  };
}

/** "OPTIONS on any path returns 204 before routing and authentication." */
export function preflightResponse(originHeaders: OriginHeaders): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...originHeaders,
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
    },
  });
}
