// The meaning of each error code, for the document.

import type { ErrorCode } from '../../core/domain/errors.js';
import { REQUEST_BODY_MAX_BYTES } from '../../core/domain/limits.js';

export const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  INVALID_JSON: `The body is not exactly one JSON object of at most ${REQUEST_BODY_MAX_BYTES} bytes.`,
  BAD_REQUEST: 'The request is not valid HTTP.',
  UNAUTHORIZED: 'The bearer token or the admin key is missing or wrong.',
  NOT_FOUND: 'The path or the record does not exist, or the record belongs to another account.',
  METHOD_NOT_ALLOWED: 'The path does not have this method; the header `Allow` lists its methods.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  VALIDATION_FAILED:
    'The record would break the rules of its collection. The message names each property, in a stable form: `PROPERTY is FOUND; it must be WANTED`, joined by `; `.',
  QUOTA_EXCEEDED: 'The account would grow beyond a limit that the operator has set.',
  HEADERS_TOO_LARGE: 'The headers are too large.',
  STORAGE_FAILED: 'The change could not be confirmed: read the record before you retry.',
  STORAGE_UNAVAILABLE:
    'The database does not answer, or on Workers the account is being loaded or set back. Nothing was changed: retry after `Retry-After`.',
  INTERNAL_ERROR: 'A bug in the service. Its log has the reason under the request id.',
  AUTH_UNAVAILABLE: 'The identity provider does not answer.',
  ADMIN_DISABLED: 'No admin key is configured.',
};
