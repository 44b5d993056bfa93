// X-Request-ID: a non-empty value is echoed unchanged, else one is made.

const HEADER = 'x-request-id';
const RANDOM_BYTES = 8;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Fills the array with secure random bytes; throws where there are none to be had. */
export type RandomBytes = (into: Uint8Array<ArrayBuffer>) => void;

export interface RequestIdSources {
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/** "Prefix `req_` plus 16 lowercase hex characters (8 random bytes); time-derived suffix if secure randomness fails." */
export function requestIds(
  sources: RequestIdSources,
): (request: Pick<Request, 'headers'>) => string {
  const bytes = new Uint8Array(RANDOM_BYTES);

  function suffix(): string {
    try {
      sources.randomBytes(bytes);
    } catch {
      return sources.clock().toString(16).padStart(16, '0');
    }
    let hex = '';
    for (const byte of bytes) hex += HEX[byte];
    return hex;
  }

  return (request) => request.headers.get(HEADER) || `req_${suffix()}`;
}
