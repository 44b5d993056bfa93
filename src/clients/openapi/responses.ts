// The responses of an operation: its success, and the refusals, which are
// described once in `components.responses`. No header stands here but the one that a
// client decides on: most generators make a parameter or a type of each.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { STATUS_OF } from '../../core/http/envelope.js';
import { ERRORS, validationMessage } from './errors.js';
import { EXAMPLE_META } from './examples.js';
import { linksOf } from './links.js';
import type { Operation } from './operations.js';
import { type AnswerKind, envelopeName, schemaRef } from './schemas.js';

/** Codes that every route may answer: the host's, before a request reaches the router, and the code of a defect. */
const ANYWHERE: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
];

interface Refusal {
  /** In `components.responses`. */
  readonly name: string;
  readonly status: string;
  readonly codes: readonly ErrorCode[];
  /** An example of a message, where a collection has one of its own. */
  readonly messages?: Readonly<Partial<Record<ErrorCode, string>>>;
  /** The collection whose operations have it; undefined for all. */
  readonly collection?: CollectionName;
}

/** At most one response for each status of an operation. OpenAPI's `default` covers only statuses without an entry. */
const REFUSALS: readonly Refusal[] = [
  refusal('InvalidJson', ['INVALID_JSON', 'BAD_REQUEST']),
  refusal('Unauthorized', ['UNAUTHORIZED']),
  refusal('NotFound', ['NOT_FOUND']),
  ...COLLECTION_NAMES.map(invalidRecord),
  refusal('StorageFailed', ['STORAGE_FAILED', 'INTERNAL_ERROR']),
  refusal('AuthUnavailable', ['AUTH_UNAVAILABLE', 'STORAGE_UNAVAILABLE']),
  refusal('AdminDisabled', ['ADMIN_DISABLED', 'STORAGE_UNAVAILABLE']),
  { name: 'Anywhere', status: 'default', codes: ANYWHERE },
];

const SUCCESS: Readonly<Record<AnswerKind, string>> = {
  one: 'The current state',
  list: 'The rows of one page',
  deletion: 'Deleted permanently',
};

/** The provider's wish, where it has one: `src/core/retry-after.ts`. */
const RETRY_AFTER: JsonObject = {
  'Retry-After': {
    description: 'Seconds to wait, if the identity provider asks for it',
    schema: { type: 'integer', format: 'int64', minimum: 0 },
  },
};

export function refusalResponses(): JsonObject {
  return Object.fromEntries(REFUSALS.map((refusal) => [refusal.name, refusalResponse(refusal)]));
}

/** The responses of an operation, by status. `id`: its `operationId`. */
export function responsesOf(
  id: string,
  operation: Operation,
  gates: readonly ErrorCode[],
  collection: CollectionName | undefined,
): JsonObject {
  const responses: JsonObject = { [operation.answer.status]: success(id, operation) };
  const codes = new Set([...gates, ...(operation.refusals ?? [])]);
  for (const { name, status, codes: covered, collection: only } of REFUSALS) {
    if (only !== undefined && only !== collection) continue;
    if (status === 'default' || covered.some((code) => codes.has(code))) {
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return responses;
}

function success(id: string, { answer }: Operation): JsonObject {
  const { kind, schema, example } = answer;
  const links = linksOf(id);
  return {
    description: answer.status === 201 ? 'Created' : SUCCESS[kind],
    content: {
      'application/json': {
        schema: schemaRef(envelopeName(kind, schema)),
        example: { data: example, meta: metaOf(example) },
      },
    },
    ...(links !== undefined && { links }),
  };
}

/** Every example of a list is one page with all rows. */
function metaOf(example: JsonValue): JsonObject {
  if (!Array.isArray(example)) return EXAMPLE_META;
  const total = example.length;
  return { ...EXAMPLE_META, pagination: { page: 1, page_size: 20, total, total_pages: 1 } };
}

function refusalResponse({ codes, messages = {} }: Refusal): JsonObject {
  const examples = codes.map((code) => {
    const message = messages[code] ?? ERRORS[code].message;
    return [code, { value: { error: { code, message }, meta: EXAMPLE_META } }];
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join(' '),
    ...(codes.includes('AUTH_UNAVAILABLE') && { headers: RETRY_AFTER }),
    content: {
      'application/json': {
        schema: schemaRef('ErrorEnvelope'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function invalidRecord(collection: CollectionName): Refusal {
  const { one } = COLLECTIONS[collection].names;
  const messages = { VALIDATION_FAILED: validationMessage(collection) };
  return {
    ...refusal(`Invalid${one}`, ['VALIDATION_FAILED', 'QUOTA_EXCEEDED']),
    messages,
    collection,
  };
}

function refusal(name: string, codes: readonly [ErrorCode, ...ErrorCode[]]): Refusal {
  return { name, status: String(STATUS_OF[codes[0]]), codes };
}
