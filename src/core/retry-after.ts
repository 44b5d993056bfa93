// How long an answer asks its caller to wait: `Retry-After` (RFC 9110, section 10.2.3).

/**
 * Milliseconds to wait, 0 for a past time; undefined if the header is missing or unusable. A date
 * counts from `from` (milliseconds since 1970, UTC). Not limited: a proxy may ask for a year.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'>, from: number): number | undefined {
  const asked = headers.get('retry-after')?.trim();
  if (asked === undefined) return undefined;
  const wait = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - from;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
