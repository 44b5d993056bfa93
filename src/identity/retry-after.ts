// How long the provider asks not to be called: `Retry-After` (RFC 9110, section 10.2.3).

/**
 * A longer time is cut to this: a provider, or a proxy before it, that asked for a
 * year would lock everybody out.
 */
const RETRY_AFTER_MAX_SECONDS = 60;

/** Whole seconds from `now` (milliseconds since 1970, UTC), from 1 to 60; undefined where the provider asks for none. */
export function retryAfterSeconds(response: Response, now: number): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const text = response.headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - now) / 1000);
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_MAX_SECONDS) : undefined;
}
