// Every path and method of the API: first the actions, on an account's records (the same for the account
// and the operator) and in the operator's views, then the table of routes. A path that isn't in it is
// 404; another method is "405 `METHOD_NOT_ALLOWED` with an `Allow` header", generated from the route.

import type { Context } from 'hono';
import { boundedBody } from '../bounded-body.js';
import type { AdminHealth } from '../domain/api-schema.js';
import { COLLECTION_NAMES, type CollectionName } from '../domain/collection-name.js';
import { DEFAULT_CURRENCY } from '../domain/collections.js';
import type { Outcome } from '../domain/errors.js';
import {
  ADMIN_PAGE_SIZES,
  DATA_PAGE_SIZES,
  type ListQuery,
  listQuery,
  pagination,
} from '../domain/listing.js';
import { type MaybePromise, thenMaybe } from '../maybe-promise.js';
import type { AccountRecords } from '../records/record-service.js';
import { data, dataOf, type HandlerResult, list } from './envelope.js';
import type { HostBindings } from './host-bindings.js';
import { ADMIN_PREFIX, API_PREFIX, ownerOf, queryOf } from './path.js';
import type { PipelineDependencies } from './pipeline.js';
import { bodyMaxBytes, readBodyText } from './request-body.js';
import type { ChargedRequest } from './response-stream.js';

export type HonoContext = Context<{ Bindings: HostBindings }>;

/** An authenticated request. */
export interface Call extends ChargedRequest {
  readonly context: HonoContext;
  readonly isOperator: boolean;
  readonly dependencies: PipelineDependencies;
}

export type Action = (call: Call) => MaybePromise<HandlerResult>;

export interface Route {
  /** Hono's pattern. */
  readonly path: string;
  /** Keyed by method, in the order of the `Allow` header. */
  readonly actions: Readonly<Record<string, Action>>;
  /** In the path; undefined if it has none. */
  readonly collection?: CollectionName;
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

/** "Ignores all query parameters and returns every derived row", "total_pages 1 even when empty". */
const listPayments: Action = async (call) => {
  const { items, total } = await recordsOf(call).payments();
  return list(items, { page: 1, page_size: total, total, total_pages: 1 });
};

/** Always 200, so that a monitor reads "degraded" and the reason instead of a failed request. */
const adminHealth: Action = async ({ dependencies }) => {
  const ping = dependencies.records.operator.ping();
  const connected = await ping.then(() => true).catch(() => false);
  const view: AdminHealth = {
    status: connected ? 'ok' : 'degraded',
    database: connected ? 'ok' : 'unavailable',
    ...dependencies.processHealth(),
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

/** A valid `X-Service-Run`, the id of an import or erasure. Any other value is ignored, because the header isn't in the contract. */
const RUN = /^[\w-]{1,64}$/;

/** The records that the request may use: the account's own, or those of the account in the operator's path. */
function recordsOf(call: Call): AccountRecords {
  const { account, isOperator, isDisconnected, context, dependencies } = call;
  if (!isOperator) return dependencies.records.account(account, { isDisconnected });
  const run = RUN.exec(context.req.raw.headers.get('x-service-run') ?? '')?.[0];
  const owner = ownerOf(context.req.param('owner_sub') ?? '');
  return dependencies.records.account(owner, { actor: 'admin', run, isDisconnected });
}

/** The operator's lists have page sizes of their own, and no status filter. */
function listQueryOf({ context, isOperator }: Call): ListQuery {
  const query = queryOf(context.req.raw);
  if (!isOperator) return listQuery(query, DATA_PAGE_SIZES);
  return { ...listQuery(query, ADMIN_PAGE_SIZES), status: '' };
}

/** Passes the request's body to a write. Its bytes are charged to the account from before it is read until the write is done. */
async function withBody(
  { context, account, isDisconnected, dependencies }: Call,
  status: 200 | 201,
  write: (body: string) => Promise<Outcome<string>>,
): Promise<HandlerResult> {
  const { scheduler, admission } = dependencies;
  const request = context.req.raw;
  const reservedBytes = bodyMaxBytes(request);
  const turn = admission.acquire(account, reservedBytes, isDisconnected);
  if (turn !== undefined) await turn;
  try {
    const read = context.env?.readBody ?? ((max) => boundedBody(request.body, max));
    const body = await readBodyText(read, () => scheduler.yieldIfNeeded(account, isDisconnected));
    return body.ok ? dataOf(await write(body.value), status) : body;
  } finally {
    admission.release(account, reservedBytes);
  }
}

/** The only route that needs no credentials. */
export const HEALTH_ROUTE: Route = { path: `${API_PREFIX}/health`, actions: { GET: health } };

const TENANT = `${ADMIN_PREFIX}/accounts/:owner_sub`;

export const ROUTES: readonly Route[] = [
  HEALTH_ROUTE,
  { path: `${API_PREFIX}/payments`, actions: { GET: listPayments } },
  ...COLLECTION_NAMES.flatMap((name) => recordRoutes(API_PREFIX, name)),
  operatorRoute('health', adminHealth),
  ...(['overview', 'usage'] as const).map((view) =>
    operatorRoute(view, async ({ dependencies }) =>
      data(JSON.stringify(await dependencies.records.operator[view]())),
    ),
  ),
  ...(['audit', 'accounts'] as const).map((view) =>
    operatorRoute(view, async (call) => {
      const query = listQueryOf(call);
      const { items, total } = await call.dependencies.records.operator[view](query);
      return list(items, pagination(query, total));
    }),
  ),
  { path: TENANT, actions: { GET: adminAccount } },
  ...COLLECTION_NAMES.flatMap((name) => recordRoutes(TENANT, name)),
];

function operatorRoute(name: string, action: Action): Route {
  return { path: `${ADMIN_PREFIX}/${name}`, actions: { GET: action } };
}

/** A collection's two paths. One pattern for all six would also match `/admin/…`, which RegExpRouter refuses. */
function recordRoutes(base: string, collection: CollectionName): readonly Route[] {
  const path = `${base}/${collection}`;
  const id = ({ context }: Call) => context.req.param('id') ?? '';
  return [
    {
      path,
      collection,
      actions: {
        GET: (call) => {
          const query = listQueryOf(call);
          return thenMaybe(recordsOf(call).list(collection, query), ({ items, total }) =>
            list(items, pagination(query, total)),
          );
        },
        POST: (call) => withBody(call, 201, (body) => recordsOf(call).create(collection, body)),
      },
    },
    {
      path: `${path}/:id`,
      collection,
      actions: {
        GET: (call) => thenMaybe(recordsOf(call).read(collection, id(call)), (it) => dataOf(it)),
        PATCH: (call) =>
          withBody(call, 200, (body) => recordsOf(call).update(collection, id(call), body)),
        // "Deletion: `{ id, deleted }`."
        DELETE: async (call) => {
          const outcome = await recordsOf(call).delete(collection, id(call));
          if (!outcome.ok) return outcome;
          return data(JSON.stringify({ id: outcome.value, deleted: true }));
        },
      },
    },
  ];
}
