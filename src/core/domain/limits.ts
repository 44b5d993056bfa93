// The contract's Limits table: one constant for each row, with its unit last.

export const REQUEST_BODY_MAX_BYTES = 1_048_576;
/** Nesting of arrays and objects in a body, far below the level at which `JSON.stringify` overflows the stack. */
export const JSON_DEPTH_MAX_LEVELS = 512;

/**
 * UTF-8 bytes of a record's JSON: a body and the server's properties. It limits how long one step
 * blocks the thread that all accounts share, even for a record that grew by several PATCHes, or by
 * numbers such as 1e20, which have four characters in a body and 21 in the record.
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

/** For the identity provider's response; user information is shorter. */
export const USERINFO_MAX_BYTES = 65_536;
/** UTF-8 bytes. Percent-encoded in an operator's path it is three times as long, and Node accepts 16 KiB of headers. */
export const SUBJECT_MAX_BYTES = 1_024;
export const IDENTITY_CACHE_MAX_SECONDS = 300;
/** Cached successful identity checks. The oldest is evicted first. */
export const IDENTITY_CACHE_MAX_ENTRIES = 10_000;
