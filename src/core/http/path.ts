// The path of a request in its canonical form, for the router. "Segments are percent-decoded
// once; a broken escape or an encoded control character is 404."

import type { Query } from '../domain/listing.js';

export const API_PREFIX = '/api/v1';
export const ADMIN_PREFIX = `${API_PREFIX}/admin`;

const NO_QUERY: Query = new URLSearchParams();

/**
 * The path with every segment decoded once and encoded again, so that the router treats `%41` and `A`
 * alike. A segment that cannot be decoded becomes empty, and no route has an empty segment.
 */
export function canonicalPath(request: Request): string {
  const target = targetOf(request);
  const start = target.indexOf('/', target.indexOf('://') + 3);
  const end = target.indexOf('?', start);
  const path = end === -1 ? target.slice(start) : target.slice(start, end);
  return path.includes('%') ? path.split('/').map(canonicalSegment).join('/') : path;
}

/** "`/api/v1`, `/api/v1/…`; `/api/v1x` and everything else outside is 404." */
export function isUnder(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

/**
 * The account that a segment names. Every client resolves `.` and `..` (also `%2E%2E`) before it
 * sends the URL, so `~.` and `~..` stand for these two accounts, and `~~.` for the account `~.`.
 */
export function ownerOf(segment: string): string {
  return /^~+\.{1,2}$/.test(segment) ? segment.slice(1) : segment;
}

export function queryOf(request: Request): Query {
  const target = targetOf(request);
  const start = target.indexOf('?');
  return start === -1 ? NO_QUERY : new URLSearchParams(target.slice(start));
}

/** HTTP sends no fragment, but a program may construct a `Request` with one. */
function targetOf({ url }: Request): string {
  const end = url.indexOf('#');
  return end === -1 ? url : url.slice(0, end);
}

function canonicalSegment(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    return /\p{Cc}/u.test(decoded) ? '' : encodeURIComponent(decoded);
  } catch {
    return '';
  }
}
