// X-Request-ID: "non-empty value is echoed unchanged"; otherwise the service generates one.

const HEADER = 'x-request-id';
const RANDOM_BYTES = 8;
/** Fetches random bytes for this many ids at once, because a call for each id would cost more than the rest of the id. */
const IDS_PER_POOL = 256;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Fills the array with secure random bytes. Throws if the platform has none. */
export type RandomBytes = (into: Uint8Array<ArrayBuffer>) => void;

/** "Prefix `req_` plus 16 lowercase hex characters (8 random bytes); time-derived suffix if secure randomness fails." */
export function requestIds(
  /** `clock`: milliseconds since 1970, UTC. */
  sources: { readonly randomBytes: RandomBytes; readonly clock: () => number },
): (request: Pick<Request, 'headers'>) => string {
  const pool = new Uint8Array(RANDOM_BYTES * IDS_PER_POOL);
  let used = pool.length;

  return (request) => {
    const given = request.headers.get(HEADER);
    if (given) return given;
    if (used === pool.length) {
      try {
        sources.randomBytes(pool);
      } catch {
        const time = sources.clock().toString(16);
        return `req_${time.padStart(2 * RANDOM_BYTES, '0')}`;
      }
      used = 0;
    }
    let id = 'req_';
    for (const end = used + RANDOM_BYTES; used < end; used++) id += HEX[pool[used] ?? 0];
    return id;
  };
}
