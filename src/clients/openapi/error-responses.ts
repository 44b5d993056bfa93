// The meaning of each error code, and the shared error responses in `components.responses`.

import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject } from '../../core/domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../../core/domain/limits.js';
import { STATUS_OF } from '../../core/http/envelope.js';
import { EXAMPLE_META } from './examples.js';

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  INVALID_JSON: `The body is not exactly one JSON object of at most ${REQUEST_BODY_MAX_BYTES} bytes.`,
  BAD_REQUEST: 'The request is not valid HTTP.',
  UNAUTHORIZED: 'The bearer token or the admin key is missing or wrong.',
  NOT_FOUND: 'The path or the record does not exist, or the record belongs to another account.',
  METHOD_NOT_ALLOWED: 'The path does not have this method; the header `Allow` lists its methods.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  VALIDATION_FAILED:
    'The record would break the rules of its collection. The message names each property, in a stable form: `PROPERTY is FOUND; it must be WANTED`, joined by `; `.',
  QUOTA_EXCEEDED: 'The account would exceed a limit that the operator has set.',
  HEADERS_TOO_LARGE: 'The headers are too large.',
  STORAGE_FAILED: 'The change could not be confirmed: read the record before you retry.',
  STORAGE_UNAVAILABLE:
    'The database does not respond, or the service on Workers is restarting. Nothing was changed: retry after `Retry-After`.',
  INTERNAL_ERROR: 'A bug in the service. Its log has the reason under the request id.',
  AUTH_UNAVAILABLE: 'The identity provider does not respond.',
  ADMIN_DISABLED: 'No admin key is configured.',
};

/** A list of all codes, in Markdown. */
export const CODES = Object.entries(MEANINGS)
  .map(([code, meaning]) => `- \`${code}\` (${STATUS_OF[code as ErrorCode]}): ${meaning}`)
  .join('\n');

/**
 * The error codes of each response, by its name in the document. The codes of a response share a status,
 * so that an operation has at most one response per status. The last one is OpenAPI's `default`: errors
 * of any route, from the host before routing or from a bug.
 */
const RESPONSES: Readonly<Record<string, readonly [ErrorCode, ...ErrorCode[]]>> = {
  InvalidJson: ['INVALID_JSON', 'BAD_REQUEST'],
  Unauthorized: ['UNAUTHORIZED'],
  NotFound: ['NOT_FOUND'],
  InvalidRecord: ['VALIDATION_FAILED', 'QUOTA_EXCEEDED'],
  StorageFailed: ['STORAGE_FAILED', 'INTERNAL_ERROR'],
  AuthUnavailable: ['AUTH_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  AdminDisabled: ['ADMIN_DISABLED', 'STORAGE_UNAVAILABLE'],
  Anywhere: ['BAD_REQUEST', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'INTERNAL_ERROR'],
};

/** The error responses of an operation with these codes, by status. */
export function errorResponses(codes: readonly ErrorCode[]): JsonObject {
  const responses = Object.entries(RESPONSES).flatMap(([name, known]) => {
    const status = name === 'Anywhere' ? 'default' : STATUS_OF[known[0]];
    const isPossible = status === 'default' || known.some((code) => codes.includes(code));
    return isPossible ? [[status, { $ref: `#/components/responses/${name}` }]] : [];
  });
  return Object.fromEntries(responses);
}

export function componentResponses(): JsonObject {
  const responses = Object.entries(RESPONSES).map(([name, codes]) => {
    const response = {
      description: codes.map((code) => `\`${code}\`: ${MEANINGS[code]}`).join(' '),
      // The only documented header, because most generators create a parameter or a type for each.
      // It is the provider's own, if it sent one (`src/core/retry-after.ts`).
      ...(codes.includes('AUTH_UNAVAILABLE') && {
        headers: {
          'Retry-After': {
            description: 'Seconds to wait, if the identity provider asks for it',
            schema: { type: 'integer', format: 'int64', minimum: 0 },
          },
        },
      }),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ErrorEnvelope' },
          example: { error: { code: codes[0], message: MEANINGS[codes[0]] }, meta: EXAMPLE_META },
        },
      },
    };
    return [name, response];
  });
  return Object.fromEntries(responses);
}
