// Every path and method of the API, in one table. A path that is not here is 404, another method
// "405 `METHOD_NOT_ALLOWED` with an `Allow` header", which is made from the row.

import { COLLECTION_NAMES, type CollectionName } from '../domain/collection-name.js';
import { OBJECT_VIEWS, ROW_VIEWS, type ViewName } from '../domain/operator-views.js';
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
  objectView,
  readRecord,
  rowView,
  updateRecord,
} from './actions.js';
import { ADMIN_PREFIX, API_PREFIX } from './path.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Route {
  /** Hono's pattern. */
  readonly path: string;
  readonly actions: Readonly<Partial<Record<Method, Action>>>;
  /** The collection in the path; undefined if the path has none. */
  readonly collection?: CollectionName;
  /** The operator's view that it answers, if that is one of the table. */
  readonly view?: ViewName;
}

/** The one route that asks for no credentials. */
export const HEALTH_ROUTE: Route = { path: `${API_PREFIX}/health`, actions: { GET: health } };

const TENANT = `${ADMIN_PREFIX}/accounts/:owner_sub`;

export const ROUTES: readonly Route[] = [
  HEALTH_ROUTE,
  { path: `${API_PREFIX}/payments`, actions: { GET: listPayments } },
  ...COLLECTION_NAMES.flatMap((name) => recordRoutes(API_PREFIX, name, listRecords)),
  { path: `${ADMIN_PREFIX}/health`, actions: { GET: adminHealth } },
  ...OBJECT_VIEWS.map((view) => viewRoute(view, objectView(view))),
  ...ROW_VIEWS.map((view) => viewRoute(view, rowView(view))),
  { path: TENANT, actions: { GET: adminAccount } },
  ...COLLECTION_NAMES.flatMap((name) => recordRoutes(TENANT, name, adminListRecords)),
];

function viewRoute(view: NonNullable<Route['view']>, action: Action): Route {
  return { path: `${ADMIN_PREFIX}/${view}`, view, actions: { GET: action } };
}

/** A collection's two paths. One pattern for all six would also match `/admin/…`, which RegExpRouter refuses. */
function recordRoutes(base: string, collection: CollectionName, list: Action): readonly Route[] {
  const path = `${base}/${collection}`;
  const item = { GET: readRecord, PATCH: updateRecord, DELETE: deleteRecord };
  return [
    { path, collection, actions: { GET: list, POST: createRecord } },
    { path: `${path}/:id`, collection, actions: item },
  ];
}

export function actionOf(route: Route, method: string): Action | undefined {
  // Looks at own properties only: the client chooses the method, which may be "constructor".
  return Object.hasOwn(route.actions, method) ? route.actions[method as Method] : undefined;
}

/** The `Allow` header's value, in the contract's order. */
export function allowOf(route: Route): string {
  return Object.keys(route.actions).join(', ');
}
