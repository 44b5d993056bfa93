// The contract's Limits table: one constant for each row, with its unit last. The
// hosts and the handler read their limits here.

export const REQUEST_BODY_MAX_BYTES = 1_048_576;
/** Nesting of arrays and objects in a body. `JSON.stringify` overflows the stack far above it. */
export const JSON_DEPTH_MAX_LEVELS = 512;

/**
 * UTF-8 bytes of a record's JSON: a body with the server's properties. It bounds what one step costs
 * the others who share the thread. PATCHes can't exceed it together, nor can numbers such as 1e20, of
 * which a body has four characters and the record 21.
 */
export const RECORD_MAX_BYTES = REQUEST_BODY_MAX_BYTES + 65_536;

export const PAGE_DEFAULT = 1;
export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 100;
export const ADMIN_PAGE_SIZE_DEFAULT = 50;
export const ADMIN_PAGE_SIZE_MAX = 200;

export const HEADER_READ_TIMEOUT_MS = 5_000;
export const REQUEST_READ_TIMEOUT_MS = 15_000;
export const RESPONSE_WRITE_TIMEOUT_MS = 15_000;
export const KEEP_ALIVE_TIMEOUT_MS = 60_000;
export const IDENTITY_PROVIDER_TIMEOUT_MS = 4_000;
export const DATABASE_BUSY_TIMEOUT_MS = 5_000;

export const ADMIN_KEY_MIN_CHARACTERS = 32;

/** The longest response that is read from the identity provider; user information is shorter. */
export const USERINFO_MAX_BYTES = 65_536;
/** UTF-8 bytes. Percent-encoded in an operator's path it is three times as long, and Node takes 16 KiB of headers. */
export const SUBJECT_MAX_BYTES = 1_024;
export const IDENTITY_CACHE_MAX_SECONDS = 300;
/** Remembered successful identity checks; the oldest goes first. */
export const IDENTITY_CACHE_MAX_ENTRIES = 10_000;
