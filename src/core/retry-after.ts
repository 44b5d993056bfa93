// Parses `Retry-After` (RFC 9110, section 10.2.3).

/**
 * Milliseconds to wait, 0 for a past time; undefined if the header is missing or invalid. `from`: now,
 * in milliseconds since 1970, UTC, from which a date counts. Not limited: a proxy may ask for a year.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'>, from: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined) return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - from;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
