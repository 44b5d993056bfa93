// The meaning of each error code, for the document.

import type { ErrorCode } from '../../core/domain/errors.js';
import { REQUEST_BODY_MAX_BYTES } from '../../core/domain/limits.js';
import { validated } from '../../core/domain/record.js';

const INVALID = validated('customers', { name: '' });

/** `message`: an example. The wording may change, except where a meaning promises its form. */
export const ERRORS: Readonly<Record<ErrorCode, { meaning: string; message: string }>> = {
  INVALID_JSON: {
    meaning: `The body is not exactly one JSON object of at most ${REQUEST_BODY_MAX_BYTES} bytes.`,
    message: 'the body is empty; send one JSON object',
  },
  BAD_REQUEST: {
    meaning: 'The request is not valid HTTP.',
    message:
      'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
  },
  UNAUTHORIZED: {
    meaning: 'The bearer token or the admin key is missing or wrong.',
    message: 'the identity provider refused the token; get a new one',
  },
  NOT_FOUND: {
    meaning: 'The path or the record does not exist, or the record belongs to another account.',
    message: 'customers has no record "CUS-0042" in this account',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path does not have this method; the header `Allow` lists its methods.',
    message: 'PUT is not allowed here; use GET, PATCH, DELETE',
  },
  REQUEST_TIMEOUT: {
    meaning: 'The request did not arrive in time.',
    message: 'the request took too long to arrive; send it again',
  },
  VALIDATION_FAILED: {
    meaning:
      'The record would break the rules of its collection. The message names each property, in a stable form: `PROPERTY is FOUND; it must be WANTED`, joined by `; `.',
    message: INVALID.ok ? '' : INVALID.failure.message,
  },
  QUOTA_EXCEEDED: {
    meaning: 'The account would grow beyond a limit that the operator has set.',
    message: 'the account has 5000 records; it may have 5000, delete some first',
  },
  HEADERS_TOO_LARGE: {
    meaning: 'The headers are too large.',
    message: 'the headers are too large; send fewer or shorter ones',
  },
  STORAGE_FAILED: {
    meaning: 'The change could not be confirmed: read the record before you retry.',
    message: 'the change could not be confirmed on disk; read the record before trying again',
  },
  STORAGE_UNAVAILABLE: {
    meaning:
      'The database does not answer, or on Workers the account is being loaded or set back. Nothing was changed: retry after `Retry-After`.',
    message: 'nothing was changed: the database gives no answer; try again later',
  },
  INTERNAL_ERROR: {
    meaning: 'A bug in the service. Its log has the reason under the request id.',
    message: 'internal error; the log has it under the request id',
  },
  AUTH_UNAVAILABLE: {
    meaning: 'The identity provider does not answer.',
    message: 'the identity provider does not answer; try again later',
  },
  ADMIN_DISABLED: {
    meaning: 'No admin key is configured.',
    message: 'no admin key is configured; set ADMIN_API_KEY to at least 32 characters',
  },
};
