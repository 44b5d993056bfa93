// The document's text for each operation and parameter. Paths, methods and collections come from the
// route table, examples from the handler.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS, capitalized } from '../../core/domain/collections.js';
import { formatId } from '../../core/domain/identifier.js';
import type { JsonObject } from '../../core/domain/json.js';
import { PAGE_DEFAULT } from '../../core/domain/limits.js';
import { ADMIN_PAGE_SIZES, DATA_PAGE_SIZES } from '../../core/domain/listing.js';
import { UNCHECKED } from './schemas.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Operation {
  /** `operationId` */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly ParameterName[];
  /** Names of schemas. */
  readonly body?: string;
  readonly response: string;
}

const OPERATORS_PAGE: readonly ParameterName[] = ['page', 'admin_page_size'];

/** Keyed by method and path. */
export const OTHER_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /health': {
    id: 'health',
    summary: 'Liveness',
    description: 'Static: it checks neither the database nor the identity provider.',
    response: 'HealthResult',
  },
  'GET /payments': {
    id: 'listPayments',
    summary: 'List payments: paid and due of each order',
    description: 'One row for each order, newest first, all on one page. No query parameters.',
    response: 'PaymentList',
  },
  'GET /admin/health': {
    id: 'adminHealth',
    summary: 'See whether the database responds and which settings are set',
    description:
      'Always 200; `status` says `ok` or `degraded`. Makes one round trip to the database.',
    response: 'AdminHealthResult',
  },
  'GET /admin/overview': {
    id: 'adminOverview',
    summary: 'Count accounts and records',
    response: 'OverviewResult',
  },
  'GET /admin/usage': {
    id: 'adminUsage',
    summary: 'See sizes, recent creations and the last change',
    response: 'UsageResult',
  },
  'GET /admin/audit': {
    id: 'adminListAuditEvents',
    summary: "List the operator's changes, newest first",
    query: OPERATORS_PAGE,
    response: 'AuditEventList',
  },
  'GET /admin/accounts': {
    id: 'adminListAccounts',
    summary: 'List accounts that own a record',
    description: 'Ordered by `owner_sub`. `q` searches the `owner_sub` and the business profiles.',
    query: ['q', ...OPERATORS_PAGE],
    response: 'AccountSummaryList',
  },
  'GET /admin/accounts/{owner_sub}': {
    id: 'adminReadAccount',
    summary: "Read an account's counts and business profiles",
    response: 'AccountResult',
  },
};

/** A collection's operations, by method and the end of the path. `operator`: those under an account's path. */
export function recordOperations(
  name: CollectionName,
  operator: boolean,
): Readonly<Record<string, Operation>> {
  const { one, many, phrase, plural } = COLLECTIONS[name].names;
  const whose = operator ? ', for an account' : '';
  const id = (verb: string, what = one) =>
    operator ? `admin${capitalized(verb)}${what}` : verb + what;
  return {
    'GET ': {
      id: id('list', many),
      summary: `List ${plural}, newest first${whose}`,
      query: operator ? ['q', ...OPERATORS_PAGE] : ['q', 'status', 'page', 'page_size'],
      response: `${one}List`,
    },
    'POST ': {
      id: id('create'),
      summary: `Create ${phrase}${whose}`,
      description:
        'The service gives the record its id and its owner. There are no idempotency keys: after a timeout, check whether it was stored before you repeat it.',
      body: `New${one}`,
      response: `${one}Result`,
    },
    'GET /{id}': {
      id: id('read'),
      summary: `Read ${phrase}${whose}`,
      response: `${one}Result`,
    },
    'PATCH /{id}': {
      id: id('update'),
      summary: `Change ${phrase}${whose}`,
      description: 'A shallow merge: each property that is sent replaces the stored one entirely.',
      body: `${one}Changes`,
      response: `${one}Result`,
    },
    'DELETE /{id}': {
      id: id('delete'),
      summary: `Delete ${phrase}${whose}`,
      description: 'Permanent. Nothing else is deleted with it.',
      response: 'DeletionResult',
    },
  };
}

/** `components.parameters`. */
const PARAMETERS = {
  owner_sub: path(
    'owner_sub',
    'The account, by its subject; `~.` and `~..` name the subjects `.` and `..`',
    'local-preview',
  ),
  q: query('q', 'Text to find anywhere in the JSON, ignoring case'),
  status: query('status', "The record's exact `status`; records without one always pass"),
  page: query(
    'page',
    'Number of the page; a value that is not a positive whole number counts as 1',
    count(PAGE_DEFAULT),
  ),
  page_size: pageSize(DATA_PAGE_SIZES),
  admin_page_size: pageSize(ADMIN_PAGE_SIZES),
};

type ParameterName = keyof typeof PARAMETERS;

export function componentParameters(): JsonObject {
  // One example for each collection, with the id of a sample record.
  const ids = COLLECTION_NAMES.map((name) => {
    const description = `Id of ${COLLECTIONS[name].names.phrase}`;
    return [idKey(name), path('id', description, formatId(name, 1))];
  });
  return { ...Object.fromEntries(ids), ...PARAMETERS };
}

/** The parameters in a route's path, such as `/admin/accounts/:owner_sub/orders/:id`. */
export function pathParameters(path: string, collection: CollectionName | undefined): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    parameterRef(name === 'id' && collection !== undefined ? idKey(collection) : name),
  );
}

export function parameterRef(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

/** In `components.parameters`, such as `TeamMemberId`. */
function idKey(name: CollectionName): string {
  return `${COLLECTIONS[name].names.one}Id`;
}

function path(name: string, description: string, example: string) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}

function query(name: string, description: string, schema: JsonObject = { type: 'string' }) {
  return { name, in: 'query', description, schema };
}

function count(value: number) {
  return { type: 'integer', format: 'int64', minimum: 1, default: value, ...UNCHECKED };
}

/** No maximum: the service accepts a larger number and returns the largest page. */
function pageSize({ max, default: usual }: typeof DATA_PAGE_SIZES) {
  const words = `Rows on a page. More than ${max} counts as ${max}; a value that is not a positive whole number counts as ${usual}`;
  return query('page_size', words, count(usual));
}
