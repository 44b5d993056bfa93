// The provider's wish to be left alone: `Retry-After` (RFC 9110, section 10.2.3).

/** A provider, or a page in front of it, could ask for a year; nobody would be let in. */
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
