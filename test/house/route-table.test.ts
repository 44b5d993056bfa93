// The route table of the service against the tests' own copy of it.

import { expect, it } from 'vitest';
import { OPERATIONS } from '../support/openapi-document.js';
import { ROUTES } from '../support/route-table.js';

it("The document has every route of the contract's table, and no other", () => {
  const table = ROUTES.flatMap(([path, methods]) =>
    methods.split(', ').map((method) => `${method} ${path}`),
  );
  const names = OPERATIONS.map(({ name }) => name);
  const missing = table.filter((operation) => !names.includes(operation));
  const others = names.filter((name) => !table.includes(name));
  const hint =
    'routes that the document lacks, and operations to add to test/support/route-table.ts';
  expect({ missing, others }, hint).toEqual({ missing: [], others: [] });
});
