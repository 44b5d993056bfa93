// Checks a request's head as it was received, before a URL parser normalizes the target.
// "Paths are never resolved, so that a proxy's rule on a prefix holds."

import type { IncomingMessage } from 'node:http';

/** `.` or `..` in the path, even if encoded. */
const DOT_SEGMENT = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;
/** Matches no route, because an encoded control character is 404. */
const UNROUTABLE_PATH = '/%00';

/**
 * The target to route by. One with a dot segment, which a URL parser would resolve, becomes one that is
 * not found. A target with a backslash, which a parser would treat as a slash, is refused later.
 * `OPTIONS *`, which is about the whole server, is treated like OPTIONS on any path.
 */
export function targetToServe({ method, url = '/' }: IncomingMessage): string {
  if (method === 'OPTIONS' && url === '*') return '/';
  return DOT_SEGMENT.test(url) ? UNROUTABLE_PATH : url;
}

/**
 * The error status for an invalid head that Node's parser accepts; undefined if the head is valid.
 * RFC 9112, section 3.2: two `Host` headers, or none in HTTP/1.1. Section 6.1: a transfer coding other
 * than chunked, or chunked in HTTP/1.0. Node keeps the first of two hosts and silently drops the others.
 */
export function headErrorStatus(request: IncomingMessage): number | undefined {
  const { rawHeaders, headers, httpVersion } = request;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && httpVersion === '1.0') return 400;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 501;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1') ? undefined : 400;
}
