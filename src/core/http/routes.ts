// Every path and method of the API: what each does, on an account's records (the same for the account
// and for the operator) and in the operator's views, and at the end the table. A path that isn't in it
// is 404, another method "405 `METHOD_NOT_ALLOWED` with an `Allow` header", which is made from the row.

import type { Context } from 'hono';
import { boundedBody } from '../bounded-body.js';
import type { AdminHealth } from '../domain/api-schema.js';
import { runOf } from '../domain/audit-event.js';
import { COLLECTION_NAMES, type CollectionName } from '../domain/collection-name.js';
import { DEFAULT_CURRENCY } from '../domain/collections.js';
import type { Outcome } from '../domain/errors.js';
import {
  ADMIN_PAGE_SIZES,
  DATA_PAGE_SIZES,
  type ListQuery,
  listQuery,
  pagination,
  singlePage,
} from '../domain/listing.js';
import { OBJECT_VIEWS, ROW_VIEWS, type ViewName } from '../domain/operator-views.js';
import { type MaybePromise, thenMaybe } from '../maybe-promise.js';
import type { AccountRecords } from '../records/record-service.js';
import type { StreamOwner } from './answer-stream.js';
import { data, dataOf, type HandlerResult, list } from './envelope.js';
import { ADMIN_PREFIX, API_PREFIX, ownerOf, queryOf } from './path.js';
import type { PipelineOptions } from './pipeline.js';
import { bodyMaxBytes, type HostBindings, readBodyText } from './request-body.js';

export type HonoContext = Context<{ Bindings: HostBindings }>;

/** A request whose caller is known. */
export interface Call extends StreamOwner {
  readonly context: HonoContext;
  readonly collection: CollectionName | undefined;
  readonly isOperator: boolean;
  readonly service: PipelineOptions;
}

export type Action = (call: Call) => MaybePromise<HandlerResult>;

export interface Route {
  /** Hono's pattern. */
  readonly path: string;
  /** By method, in the order of the `Allow` header. */
  readonly actions: Readonly<Record<string, Action>>;
  /** In the path; undefined if it has none. */
  readonly collection?: CollectionName;
  /** The operator's view that it answers, if that is one of the table. */
  readonly view?: ViewName;
}

/** "Static: it does not check the database, write ability, or the identity provider." */
export const HEALTH = {
  status: 'ok',
  service: 'service-management-api',
  version: 'v1',
  time_zone: 'Africa/Dar_es_Salaam',
  currency: DEFAULT_CURRENCY,
} as const;

const HEALTH_RESULT = data(JSON.stringify(HEALTH));
const health: Action = () => HEALTH_RESULT;

const listRecords: Action = (call) => recordsPage(call, queryIn(call, DATA_PAGE_SIZES));

/** Like the account's own list, with the operator's page sizes and without the status filter. */
const adminListRecords: Action = (call) =>
  recordsPage(call, { ...queryIn(call, ADMIN_PAGE_SIZES), status: '' });

function recordsPage(call: Call, query: ListQuery): MaybePromise<HandlerResult> {
  return thenMaybe(recordsOf(call).list(collectionOf(call), query), ({ items, total }) =>
    list(items, pagination(query, total)),
  );
}

const createRecord: Action = (call) =>
  withBody(call, 201, (body) => recordsOf(call).create(collectionOf(call), body));

const readRecord: Action = (call) =>
  thenMaybe(recordsOf(call).read(collectionOf(call), idOf(call)), (outcome) => dataOf(outcome));

const updateRecord: Action = (call) =>
  withBody(call, 200, (body) => recordsOf(call).update(collectionOf(call), idOf(call), body));

/** "Deletion: `{ id, deleted }`." */
const deleteRecord: Action = async (call) => {
  const outcome = await recordsOf(call).delete(collectionOf(call), idOf(call));
  return outcome.ok ? data(JSON.stringify({ id: outcome.value, deleted: true })) : outcome;
};

/** "Ignores all query parameters and returns every derived row." */
const listPayments: Action = async (call) => {
  const { items, total } = await recordsOf(call).payments();
  return list(items, singlePage(total));
};

/** Always 200: a monitor reads "degraded" and the reason, instead of a failed request. */
const adminHealth: Action = async ({ service }) => {
  const ping = service.records.operator.ping();
  const connected = await ping.then(() => true).catch(() => false);
  const view: AdminHealth = {
    status: connected ? 'ok' : 'degraded',
    database: connected ? 'ok' : 'unavailable',
    ...service.healthFacts(),
  };
  return data(JSON.stringify(view));
};

const adminAccount: Action = async (call) => {
  const outcome = await recordsOf(call).profile();
  if (!outcome.ok) return outcome;
  const { summary, profiles } = outcome.value;
  const prefix = `${JSON.stringify(summary).slice(0, -1)},"profiles":[`;
  return { status: 200, prefix, rows: profiles, suffix: ']}', pagination: undefined };
};

/** The records that the request may touch: the caller's own, or those of the account that the operator names. */
function recordsOf(call: Call): AccountRecords {
  const { account, isOperator, isDisconnected, context, service } = call;
  if (!isOperator) return service.records.account(account, { isDisconnected });
  const run = runOf(context.req.raw.headers.get('x-service-run'));
  const owner = ownerOf(assertDefined(context.req.param('owner_sub')));
  return service.records.account(owner, { actor: 'admin', run, isDisconnected });
}

const queryIn = ({ context }: Call, sizes: typeof DATA_PAGE_SIZES) =>
  listQuery(queryOf(context.req.raw), sizes);
const collectionOf = ({ collection }: Call) => assertDefined(collection);
const idOf = ({ context }: Call) => assertDefined(context.req.param('id'));

/** What the path of the action's route always has; a route without it is a defect. */
function assertDefined<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the route does not name what its action asks for');
  return part;
}

/** Passes the request's body to a write. The account holds the body's bytes from before it is read until the write is done. */
async function withBody(
  { context, account, isDisconnected, service }: Call,
  status: 200 | 201,
  write: (body: string) => Promise<Outcome<string>>,
): Promise<HandlerResult> {
  const { scheduler, admission } = service;
  const request = context.req.raw;
  const maxBytes = bodyMaxBytes(request);
  const turn = admission.acquire(account, maxBytes, isDisconnected);
  if (turn !== undefined) await turn;
  try {
    const read = context.env?.readBody ?? ((max) => boundedBody(request.body, max));
    const body = await readBodyText(read, () => scheduler.yieldIfNeeded(account, isDisconnected));
    return body.ok ? dataOf(await write(body.value), status) : body;
  } finally {
    admission.release(account, maxBytes);
  }
}

/** The one route that asks for no credentials. */
export const HEALTH_ROUTE: Route = { path: `${API_PREFIX}/health`, actions: { GET: health } };

const TENANT = `${ADMIN_PREFIX}/accounts/:owner_sub`;

export const ROUTES: readonly Route[] = [
  HEALTH_ROUTE,
  { path: `${API_PREFIX}/payments`, actions: { GET: listPayments } },
  ...COLLECTION_NAMES.flatMap((name) => recordRoutes(API_PREFIX, name, listRecords)),
  { path: `${ADMIN_PREFIX}/health`, actions: { GET: adminHealth } },
  ...OBJECT_VIEWS.map((view) =>
    viewRoute(view, async ({ service }) =>
      data(JSON.stringify(await service.records.operator[view]())),
    ),
  ),
  ...ROW_VIEWS.map((view) =>
    viewRoute(view, async (call) => {
      const query = queryIn(call, ADMIN_PAGE_SIZES);
      const { items, total } = await call.service.records.operator[view](query);
      return list(items, pagination(query, total));
    }),
  ),
  { path: TENANT, actions: { GET: adminAccount } },
  ...COLLECTION_NAMES.flatMap((name) => recordRoutes(TENANT, name, adminListRecords)),
];

function viewRoute(view: ViewName, action: Action): Route {
  return { path: `${ADMIN_PREFIX}/${view}`, view, actions: { GET: action } };
}

/** A collection's two paths. One pattern for all six would also match `/admin/…`, which RegExpRouter refuses. */
function recordRoutes(base: string, collection: CollectionName, all: Action): readonly Route[] {
  const path = `${base}/${collection}`;
  const item = { GET: readRecord, PATCH: updateRecord, DELETE: deleteRecord };
  return [
    { path, collection, actions: { GET: all, POST: createRecord } },
    { path: `${path}/:id`, collection, actions: item },
  ];
}

/** The `Allow` header's value, in the contract's order. */
export function allowOf(route: Route): string {
  return Object.keys(route.actions).join(', ');
}
