// The summaries of the operations, which readers of the reference choose by: each speaks of its own method and collection.

import { expect, it } from 'vitest';
import { type CollectionName, ROW_OF } from '../support/collection-table.js';
import { OPERATIONS } from '../support/openapi-document.js';

const VERBS: Readonly<Record<string, string>> = {
  GET: 'List',
  POST: 'Create',
  'GET item': 'Read',
  'PATCH item': 'Change',
  'DELETE item': 'Delete',
};
const OTHERS: Readonly<Record<string, string>> = {
  'GET /health': 'Liveness',
  'GET /payments': 'List payments: paid and due of each order',
  'GET /admin/overview': 'Count accounts and records',
  'GET /admin/health': 'See whether the database answers and which settings are set',
  'GET /admin/usage': 'See sizes, recent creations and the last change',
  'GET /admin/audit': "List the operator's changes, newest first",
  'GET /admin/accounts': 'List accounts that own a record',
  'GET /admin/accounts/{owner_sub}': "Read an account's counts and business profiles",
};

it.each(OPERATIONS)('$name has a summary of its own action', ({ name, object }) => {
  const wanted = OTHERS[name] ?? recordSummary(name);
  expect(wanted, `${name} has no summary here; add it to OTHERS`).not.toContain('undefined');
  expect(object.summary).toBe(wanted);
});

function recordSummary(name: string): string {
  const [, method = '', tenant, collection = '', item] =
    /^(\w+) (\/admin\/accounts\/\{owner_sub\})?\/(\w+)(\/\{id\})?$/.exec(name) ?? [];
  const [one, many] = ROW_OF[collection as CollectionName]?.words ?? [];
  const verb = VERBS[item === undefined ? method : `${method} item`];
  const what = verb === 'List' ? `${many}, newest first` : one;
  return `${verb} ${what}${tenant === undefined ? '' : ', for an account'}`;
}
