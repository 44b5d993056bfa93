// Every path and method of the API, in one table. What is not here is 404;
// what is here with other methods is 405, and `Allow` follows from the row.

import { COLLECTION_NAMES } from '../domain/collections.js';
import {
  adminAccount,
  adminAccounts,
  adminAudit,
  adminHealth,
  adminListRecords,
  adminOverview,
  adminUsage,
} from './admin-routes.js';
import type { Action } from './call.js';
import {
  createRecord,
  deleteRecord,
  listPayments,
  listRecords,
  readRecord,
  updateRecord,
} from './data-routes.js';
import { health } from './health.js';
import { ADMIN_PREFIX, API_PREFIX } from './path.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Route {
  /** Hono's pattern. */
  readonly path: string;
  readonly actions: Readonly<Partial<Record<Method, Action>>>;
}

// Grouped: the router puts the pattern into a larger one as it stands.
const COLLECTION = `:collection{(?:${COLLECTION_NAMES.join('|')})}`;
const TENANT = `${ADMIN_PREFIX}/accounts/:owner`;

/** Answered before authentication. */
export const HEALTH_ROUTE: Route = { path: `${API_PREFIX}/health`, actions: { GET: health } };

const ITEM_ACTIONS = { GET: readRecord, PATCH: updateRecord, DELETE: deleteRecord };

export const ROUTES: readonly Route[] = [
  HEALTH_ROUTE,
  { path: `${API_PREFIX}/payments`, actions: { GET: listPayments } },
  { path: `${API_PREFIX}/${COLLECTION}`, actions: { GET: listRecords, POST: createRecord } },
  { path: `${API_PREFIX}/${COLLECTION}/:id`, actions: ITEM_ACTIONS },
  { path: `${ADMIN_PREFIX}/overview`, actions: { GET: adminOverview } },
  { path: `${ADMIN_PREFIX}/health`, actions: { GET: adminHealth } },
  { path: `${ADMIN_PREFIX}/usage`, actions: { GET: adminUsage } },
  { path: `${ADMIN_PREFIX}/audit`, actions: { GET: adminAudit } },
  { path: `${ADMIN_PREFIX}/accounts`, actions: { GET: adminAccounts } },
  { path: TENANT, actions: { GET: adminAccount } },
  { path: `${TENANT}/${COLLECTION}`, actions: { GET: adminListRecords, POST: createRecord } },
  { path: `${TENANT}/${COLLECTION}/:id`, actions: ITEM_ACTIONS },
];

export function actionOf(route: Route, method: string): Action | undefined {
  // Own properties only: a method is the client's text, "constructor" included.
  return Object.hasOwn(route.actions, method) ? route.actions[method as Method] : undefined;
}

/** The `Allow` header's value, in the contract's order. */
export function allowOf(route: Route): string {
  return Object.keys(route.actions).join(', ');
}
