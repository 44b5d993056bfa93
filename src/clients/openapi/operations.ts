// The description of each action of the route table. Paths, methods and
// collections come from the route table itself.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { ROW_VIEWS } from '../../core/domain/operator-views.js';
import { ADMIN_PREFIX, API_PREFIX } from '../../core/http/path.js';
import {
  type Action,
  adminAccount,
  adminHealth,
  adminListRecords,
  createRecord,
  deleteRecord,
  health,
  listPayments,
  listRecords,
  type Route,
  readRecord,
  updateRecord,
} from '../../core/http/routes.js';
import { EXAMPLE_BODIES, EXAMPLE_CHANGES, EXAMPLE_RECORD, exampleOf } from './examples.js';
import type { ParameterName } from './parameters.js';
import type { AnswerKind } from './schemas.js';
import { VIEW_DESCRIPTIONS } from './view-schemas.js';

export interface Operation {
  /** `operationId` on the data API; on the administration API it starts with `admin`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly query?: readonly ParameterName[];
  readonly body?: { readonly schema: string; readonly example: JsonObject };
  readonly answer: {
    readonly status: 200 | 201;
    readonly kind: AnswerKind;
    readonly schema: string;
    readonly example: JsonValue;
  };
  /** Error codes of this operation, besides those that its route may answer. */
  readonly refusals?: readonly ErrorCode[];
}

type Names = (typeof COLLECTIONS)[CollectionName]['names'];
type Describe = (name: CollectionName, names: Names) => Operation;

const OPERATORS_PAGE: readonly ParameterName[] = ['page', 'admin_page_size'];
/** Even where nothing is required, a record may be too large to store. */
const OF_A_WRITE: readonly ErrorCode[] = [
  'INVALID_JSON',
  'VALIDATION_FAILED',
  'QUOTA_EXCEEDED',
  'STORAGE_FAILED',
];

/** Operations on the records of a collection. */
const RECORD_OPERATIONS: ReadonlyMap<Action, Describe> = new Map<Action, Describe>([
  [listRecords, listing(['q', 'status', 'page', 'page_size'])],
  [adminListRecords, listing(['q', ...OPERATORS_PAGE])],
  [
    createRecord,
    (name, { one, phrase }) => ({
      id: `create${one}`,
      summary: `Create ${phrase}`,
      description:
        'The service gives the record its id and its owner. There are no idempotency keys: after a timeout, check whether it was stored before you repeat it.',
      body: { schema: `New${one}`, example: EXAMPLE_BODIES[name] },
      answer: answer('one', one, EXAMPLE_RECORD[name], 201),
      refusals: OF_A_WRITE,
    }),
  ],
  [
    readRecord,
    (name, { one, phrase }) => ({
      id: `read${one}`,
      summary: `Read ${phrase}`,
      answer: answer('one', one, EXAMPLE_RECORD[name]),
    }),
  ],
  [
    updateRecord,
    (name, { one, phrase }) => ({
      id: `update${one}`,
      summary: `Change ${phrase}`,
      description: 'A shallow merge: each property that is sent replaces the stored one entirely.',
      body: { schema: `${one}Changes`, example: EXAMPLE_CHANGES[name] },
      answer: answer('one', one, { ...EXAMPLE_RECORD[name], ...EXAMPLE_CHANGES[name] }),
      refusals: OF_A_WRITE,
    }),
  ],
  [
    deleteRecord,
    (name, { one, phrase }) => ({
      id: `delete${one}`,
      summary: `Delete ${phrase}`,
      description: 'Permanent. Nothing else is deleted with it.',
      answer: answer('deletion', 'Deletion', {
        id: EXAMPLE_RECORD[name]['id'] ?? null,
        deleted: true,
      }),
      refusals: ['STORAGE_FAILED'],
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
      answer: answer('one', 'Health', exampleOf(`${API_PREFIX}/health`)),
    },
  ],
  [
    listPayments,
    {
      id: 'listPayments',
      summary: 'List payments: paid and due of each order',
      description: 'One row for each order, newest first, all on one page. No query parameters.',
      answer: answer('list', 'Payment', exampleOf(`${API_PREFIX}/payments`)),
    },
  ],
  [
    adminHealth,
    {
      id: 'Health',
      summary: 'See whether the database answers and which settings are set',
      description:
        'Always 200; `status` says `ok` or `degraded`. Makes one round trip to the database.',
      answer: answer('one', 'AdminHealth', exampleOf(`${ADMIN_PREFIX}/health`)),
    },
  ],
  [
    adminAccount,
    {
      id: 'ReadAccount',
      summary: "Read an account's counts and business profiles",
      answer: answer('one', 'Account', exampleOf(`${ADMIN_PREFIX}/accounts/:owner_sub`)),
    },
  ],
]);

/** Throws if an action of the route table has no description here. */
export function operationOf({ path, view, collection }: Route, action: Action): Operation {
  if (view !== undefined) {
    const { operation: id, schema, summary, description } = VIEW_DESCRIPTIONS[view];
    const query: ParameterName[] = [
      ...(view === 'accounts' ? ['q' as const] : []),
      ...OPERATORS_PAGE,
    ];
    const kind = ROW_VIEWS.some((name) => name === view) ? 'list' : 'one';
    const described = { id, summary, description, answer: answer(kind, schema, exampleOf(path)) };
    return kind === 'list' ? { ...described, query } : described;
  }
  const operation =
    collection === undefined
      ? OTHER_OPERATIONS.get(action)
      : RECORD_OPERATIONS.get(action)?.(collection, COLLECTIONS[collection].names);
  if (operation !== undefined) return operation;
  throw new Error(
    `${action.name} is not described; describe it in src/clients/openapi/operations.ts`,
  );
}

function listing(query: readonly ParameterName[]): Describe {
  return (name, { one, many, plural }) => ({
    id: `list${many}`,
    summary: `List ${plural}, newest first`,
    query,
    answer: answer('list', one, exampleOf(`${API_PREFIX}/${name}`)),
  });
}

function answer(
  kind: AnswerKind,
  schema: string,
  example: JsonValue,
  status: 200 | 201 = 200,
): Operation['answer'] {
  return { status, kind, schema, example };
}
