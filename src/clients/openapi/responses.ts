// The responses of an operation: its success, and the refusals, which are described once
// in `components.responses`. The only header is one that clients act on: most generators
// make a parameter or a type of each.

import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { STATUS_OF } from '../../core/http/envelope.js';
import { MEANINGS } from './errors.js';
import { EXAMPLE_META } from './examples.js';
import type { Operation } from './operations.js';
import { type AnswerKind, envelopeName, schemaRef } from './schemas.js';

interface Refusal {
  /** In `components.responses`. */
  readonly name: string;
  readonly status: string;
  readonly codes: readonly ErrorCode[];
}

/** At most one response for each status of an operation. OpenAPI's `default` covers only statuses without an entry. */
const REFUSALS: readonly Refusal[] = [
  refusal('InvalidJson', ['INVALID_JSON', 'BAD_REQUEST']),
  refusal('Unauthorized', ['UNAUTHORIZED']),
  refusal('NotFound', ['NOT_FOUND']),
  refusal('InvalidRecord', ['VALIDATION_FAILED', 'QUOTA_EXCEEDED']),
  refusal('StorageFailed', ['STORAGE_FAILED', 'INTERNAL_ERROR']),
  refusal('AuthUnavailable', ['AUTH_UNAVAILABLE', 'STORAGE_UNAVAILABLE']),
  refusal('AdminDisabled', ['ADMIN_DISABLED', 'STORAGE_UNAVAILABLE']),
  // What every route may answer: the host, before a request reaches the router, and a defect.
  {
    name: 'Anywhere',
    status: 'default',
    codes: ['BAD_REQUEST', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'INTERNAL_ERROR'],
  },
];

const SUCCESS: Readonly<Record<AnswerKind, string>> = {
  one: 'The current state',
  list: 'The rows of one page',
  deletion: 'Deleted permanently',
};

/** The provider's own, if it sent one: `src/core/retry-after.ts`. */
const RETRY_AFTER: JsonObject = {
  'Retry-After': {
    description: 'Seconds to wait, if the identity provider asks for it',
    schema: { type: 'integer', format: 'int64', minimum: 0 },
  },
};

export function refusalResponses(): JsonObject {
  return Object.fromEntries(REFUSALS.map((refusal) => [refusal.name, refusalResponse(refusal)]));
}

/** The responses of an operation, by status. */
export function responsesOf(operation: Operation, gates: readonly ErrorCode[]): JsonObject {
  const { status, kind, schema, example } = operation.answer;
  const success: JsonObject = {
    description: status === 201 ? 'Created' : SUCCESS[kind],
    content: {
      'application/json': {
        schema: schemaRef(envelopeName(kind, schema)),
        example: { data: example, meta: metaOf(example) },
      },
    },
  };
  const codes = new Set([...gates, ...(operation.refusals ?? [])]);
  const refusals = REFUSALS.filter(
    (refusal) => refusal.status === 'default' || refusal.codes.some((code) => codes.has(code)),
  );
  return {
    [status]: success,
    ...Object.fromEntries(
      refusals.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
    ),
  };
}

/** Every example of a list is one page with all rows. */
function metaOf(example: JsonValue): JsonObject {
  if (!Array.isArray(example)) return EXAMPLE_META;
  const total = example.length;
  return { ...EXAMPLE_META, pagination: { page: 1, page_size: 20, total, total_pages: 1 } };
}

function refusalResponse({ codes }: Refusal): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${MEANINGS[code]}`).join(' '),
    ...(codes.includes('AUTH_UNAVAILABLE') && { headers: RETRY_AFTER }),
    content: { 'application/json': { schema: schemaRef('ErrorEnvelope') } },
  };
}

function refusal(name: string, codes: readonly [ErrorCode, ...ErrorCode[]]): Refusal {
  return { name, status: String(STATUS_OF[codes[0]]), codes };
}
