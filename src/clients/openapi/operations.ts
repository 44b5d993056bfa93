// The description of each action of the route table. Paths, methods and
// collections come from the route table itself.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { OPERATOR_VIEWS } from '../../core/domain/operator-views.js';
import {
  adminAccount,
  adminHealth,
  adminListRecords,
  createRecord,
  deleteRecord,
  health,
  listPayments,
  listRecords,
  readRecord,
  updateRecord,
} from '../../core/http/actions.js';
import type { Action } from '../../core/http/call.js';
import { ADMIN_PREFIX, API_PREFIX } from '../../core/http/path.js';
import type { Route } from '../../core/http/routes.js';
import VIEWS from '../../core/operator-answers.js';
import { EXAMPLE_BODIES, EXAMPLE_CHANGES, EXAMPLE_RECORD, exampleOf } from './examples.js';
import type { ParameterName } from './parameters.js';
import type { AnswerKind } from './schemas.js';

export interface Operation {
  /** `operationId` on the data API; on the administration API it starts with `admin`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly ParameterName[];
  readonly body?: { readonly schema: string; readonly example: JsonObject };
  readonly answer: {
    readonly status: 200 | 201;
    readonly kind: AnswerKind;
    readonly schema: string;
    readonly example: JsonValue;
  };
  /** Error codes of this operation, besides those that every route may answer. */
  readonly refusals?: readonly ErrorCode[];
}

const OPERATORS_PAGE: readonly ParameterName[] = ['page', 'admin_page_size'];

type Describe = (collection: CollectionName) => Operation;

/** Operations on the records of a collection. */
const RECORD_OPERATIONS: ReadonlyMap<Action, Describe> = new Map<Action, Describe>([
  [listRecords, listing(['q', 'status', 'page', 'page_size'])],
  [adminListRecords, listing(['q', ...OPERATORS_PAGE])],
  [
    createRecord,
    (name) => ({
      id: `create${COLLECTIONS[name].names.one}`,
      summary: `Create ${COLLECTIONS[name].names.phrase}`,
      description:
        'The service gives the record its id and its owner. There are no idempotency keys: after a time-out, look before you repeat it.',
      body: { schema: `New${COLLECTIONS[name].names.one}`, example: EXAMPLE_BODIES[name] },
      answer: one(201, name, EXAMPLE_RECORD[name]),
      refusals: [
        'INVALID_JSON',
        // Where nothing is required, a record may still be too large for storage.
        'VALIDATION_FAILED',
        'QUOTA_EXCEEDED',
        'STORAGE_FAILED',
      ],
    }),
  ],
  [
    readRecord,
    (name) => ({
      id: `read${COLLECTIONS[name].names.one}`,
      summary: `Read ${COLLECTIONS[name].names.phrase}`,
      answer: one(200, name, EXAMPLE_RECORD[name]),
      refusals: ['NOT_FOUND'],
    }),
  ],
  [
    updateRecord,
    (name) => ({
      id: `update${COLLECTIONS[name].names.one}`,
      summary: `Change ${COLLECTIONS[name].names.phrase}`,
      description: 'A shallow merge: a property that is sent replaces the stored one as a whole.',
      body: { schema: `${COLLECTIONS[name].names.one}Changes`, example: EXAMPLE_CHANGES[name] },
      answer: one(200, name, { ...EXAMPLE_RECORD[name], ...EXAMPLE_CHANGES[name] }),
      refusals: [
        'INVALID_JSON',
        'NOT_FOUND',
        'VALIDATION_FAILED',
        'QUOTA_EXCEEDED',
        'STORAGE_FAILED',
      ],
    }),
  ],
  [
    deleteRecord,
    (name) => ({
      id: `delete${COLLECTIONS[name].names.one}`,
      summary: `Delete ${COLLECTIONS[name].names.phrase}`,
      description: 'Permanent. Nothing else is deleted with it.',
      answer: {
        status: 200,
        kind: 'deletion',
        schema: 'Deletion',
        example: { id: EXAMPLE_RECORD[name]['id'] ?? null, deleted: true },
      },
      refusals: ['NOT_FOUND', 'STORAGE_FAILED'],
    }),
  ],
]);

/** Operations that belong to no collection. */
const OTHER_OPERATIONS: ReadonlyMap<Action, Operation> = new Map<Action, Operation>([
  [
    health,
    {
      id: 'health',
      summary: 'Liveness',
      description: 'Static: it checks neither the database nor the identity provider.',
      answer: {
        status: 200,
        kind: 'one',
        schema: 'Health',
        example: exampleOf(`${API_PREFIX}/health`),
      },
    },
  ],
  [
    listPayments,
    {
      id: 'listPayments',
      summary: 'List payments: paid and due of each order',
      description: 'One row for each order, newest first, all on one page. No query parameters.',
      answer: {
        status: 200,
        kind: 'list',
        schema: 'Payment',
        example: exampleOf(`${API_PREFIX}/payments`),
      },
    },
  ],
  [
    adminHealth,
    view(
      'Health',
      'AdminHealth',
      'See whether the database answers and which settings are set',
      `${ADMIN_PREFIX}/health`,
      {
        description:
          'Always 200; `status` says `ok` or `degraded`. Makes one round trip to the database.',
      },
    ),
  ],
  [
    adminAccount,
    view(
      'ReadAccount',
      'Account',
      "Read an account's counts and business profiles",
      `${ADMIN_PREFIX}/accounts/:owner_sub`,
      {
        refusals: ['NOT_FOUND'],
      },
    ),
  ],
]);

/** Throws if the route table has an action that has no description here. */
export function operationOf({ path, view, collection }: Route, action: Action): Operation {
  if (view !== undefined) return viewOperation(path, view);
  const operation =
    collection === undefined
      ? OTHER_OPERATIONS.get(action)
      : RECORD_OPERATIONS.get(action)?.(collection);
  if (operation === undefined) {
    throw new Error(
      `${action.name} is not described; describe it in src/clients/openapi/operations.ts`,
    );
  }
  return operation;
}

/** The operation of a view in the table. */
function viewOperation(path: string, view: NonNullable<Route['view']>): Operation {
  const { operation: id, summary, description, schema } = OPERATOR_VIEWS[view];
  const hasRows = (VIEWS.rows as readonly string[]).includes(view);
  const isSearched = (VIEWS.searched as readonly string[]).includes(view);
  return {
    id,
    summary,
    ...(description !== undefined && { description }),
    ...(hasRows && { query: isSearched ? ['q', ...OPERATORS_PAGE] : OPERATORS_PAGE }),
    answer: { status: 200, kind: hasRows ? 'list' : 'one', schema, example: exampleOf(path) },
  };
}

function listing(query: readonly ParameterName[]): Describe {
  return (name) => ({
    id: `list${COLLECTIONS[name].names.many}`,
    summary: `List ${COLLECTIONS[name].names.plural}, newest first`,
    query,
    answer: {
      status: 200,
      kind: 'list',
      schema: COLLECTIONS[name].names.one,
      example: exampleOf(`${API_PREFIX}/${name}`),
    },
  });
}

function one(status: 200 | 201, name: CollectionName, example: JsonObject): Operation['answer'] {
  return { status, kind: 'one', schema: COLLECTIONS[name].names.one, example };
}

function view(
  id: string,
  schema: string,
  summary: string,
  path: string,
  more: Pick<Operation, 'description' | 'refusals'> = {},
): Operation {
  return {
    id,
    summary,
    answer: { status: 200, kind: 'one', schema, example: exampleOf(path) },
    ...more,
  };
}
