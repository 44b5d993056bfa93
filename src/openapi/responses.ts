// The responses of an operation: its success, and the refusals, which are
// described once in `components.responses`.

import type { ErrorCode } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { STATUS_OF } from '../http/envelope.js';
import { ERRORS } from './errors.js';
import { EXAMPLE_META } from './examples.js';
import type { Operation } from './operations.js';
import { headerRefs } from './parameters.js';
import { schemaRef } from './schemas.js';

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
}

/** One response for each status. OpenAPI's `default` covers only statuses without an entry. */
const REFUSALS: readonly Refusal[] = [
  refusal('InvalidJson', 'INVALID_JSON', 'BAD_REQUEST'),
  refusal('Unauthorized', 'UNAUTHORIZED'),
  refusal('NotFound', 'NOT_FOUND'),
  refusal('ValidationFailed', 'VALIDATION_FAILED', 'QUOTA_EXCEEDED'),
  refusal('StorageFailed', 'STORAGE_FAILED', 'INTERNAL_ERROR'),
  refusal('AuthUnavailable', 'AUTH_UNAVAILABLE', 'STORAGE_UNAVAILABLE'),
  refusal('AdminDisabled', 'ADMIN_DISABLED', 'STORAGE_UNAVAILABLE'),
  { name: 'Anywhere', status: 'default', codes: ANYWHERE },
];

const SUCCESS: Readonly<Record<Operation['answer']['kind'], string>> = {
  one: 'The current state',
  list: 'The rows of one page',
  deletion: 'Deleted permanently',
};

export function refusalResponses(): JsonObject {
  return Object.fromEntries(REFUSALS.map(({ name, codes }) => [name, refusalResponse(codes)]));
}

/** The responses of an operation, by status. */
export function responsesOf(operation: Operation, gates: readonly ErrorCode[]): JsonObject {
  const responses: JsonObject = { [operation.answer.status]: success(operation) };
  const codes = new Set([...gates, ...(operation.refusals ?? [])]);
  for (const { name, status, codes: covered } of REFUSALS) {
    if (status === 'default' || covered.some((code) => codes.has(code))) {
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return responses;
}

function success({ answer }: Operation): JsonObject {
  const { kind, schema, example } = answer;
  return {
    description: answer.status === 201 ? 'Created' : SUCCESS[kind],
    headers: headerRefs(),
    content: {
      'application/json': {
        schema: envelope('data', dataSchema(kind, schema), kind === 'list' ? 'ListMeta' : 'Meta'),
        example: { data: example, meta: metaOf(example) },
      },
    },
  };
}

function dataSchema(kind: Operation['answer']['kind'], schema: string): JsonObject {
  return kind === 'list' ? { type: 'array', items: schemaRef(schema) } : schemaRef(schema);
}

/** Every example of a list is one page with all rows. */
function metaOf(example: JsonValue): JsonObject {
  if (!Array.isArray(example)) return EXAMPLE_META;
  const total = example.length;
  return { ...EXAMPLE_META, pagination: { page: 1, page_size: 20, total, total_pages: 1 } };
}

function refusalResponse(codes: readonly ErrorCode[]): JsonObject {
  const error = {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: { type: 'string', enum: [...codes], description: 'Programs decide on it' },
      message: { type: 'string', description: 'For developers; the wording may change' },
    },
  };
  const examples = codes.map((code) => [
    code,
    { value: { error: { code, message: ERRORS[code].message }, meta: EXAMPLE_META } },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join(' '),
    headers: headerRefs(),
    content: {
      'application/json': {
        schema: envelope('error', error, 'Meta'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function envelope(property: 'data' | 'error', schema: JsonObject, meta: string): JsonObject {
  return {
    type: 'object',
    required: [property, 'meta'],
    properties: { [property]: schema, meta: schemaRef(meta) },
  };
}

function refusal(name: string, ...codes: readonly [ErrorCode, ...ErrorCode[]]): Refusal {
  return { name, status: String(STATUS_OF[codes[0]]), codes };
}
