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

const RECORDS = OPERATIONS.filter(({ name }) => recordSummary(name) !== undefined);

it.each(RECORDS)('$name has a summary of its own action', ({ name, object }) => {
  expect(object.summary).toBe(recordSummary(name));
});

it('tell all operations apart, each in one line', () => {
  const summaries = OPERATIONS.map(({ object }) => object.summary ?? '');
  expect(new Set(summaries).size).toBe(OPERATIONS.length);
  for (const summary of summaries) expect(summary).toMatch(/^[A-Z][^\n.]{5,90}$/);
});

/** Undefined for an operation that is not on records of a collection. */
function recordSummary(name: string): string | undefined {
  const [, method = '', tenant, collection = '', item] =
    /^(\w+) (\/admin\/accounts\/\{owner_sub\})?\/(\w+)(\/\{id\})?$/.exec(name) ?? [];
  const row = ROW_OF[collection as CollectionName];
  if (row === undefined) return undefined;
  const [one, many] = row.words;
  const verb = VERBS[item === undefined ? method : `${method} item`];
  const what = verb === 'List' ? `${many}, newest first` : one;
  return `${verb} ${what}${tenant === undefined ? '' : ', for an account'}`;
}
