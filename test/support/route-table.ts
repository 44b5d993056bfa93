// The contract's route table, written down once more for the tests: an independent copy.

import { COLLECTIONS } from './collection-table.js';

const TENANT = '/admin/accounts/{owner_sub}';

/** Paths of the data API, and what answers them: `GET, POST`, as an `Allow` header has it. */
const DATA_ROUTES: readonly (readonly [string, string])[] = [
  ['/health', 'GET'],
  ['/payments', 'GET'],
  ...COLLECTIONS.flatMap((name) => recordRoutes(`/${name}`)),
];

/** The same of the administration API. */
export const ADMIN_ROUTES: readonly (readonly [string, string])[] = [
  ['/admin/overview', 'GET'],
  ['/admin/health', 'GET'],
  ['/admin/usage', 'GET'],
  ['/admin/audit', 'GET'],
  ['/admin/accounts', 'GET'],
  [TENANT, 'GET'],
  ...COLLECTIONS.flatMap((name) => recordRoutes(`${TENANT}/${name}`)),
];

export const ROUTES = [...DATA_ROUTES, ...ADMIN_ROUTES];

function recordRoutes(path: string): (readonly [string, string])[] {
  return [
    [path, 'GET, POST'],
    [`${path}/{id}`, 'GET, PATCH, DELETE'],
  ];
}
