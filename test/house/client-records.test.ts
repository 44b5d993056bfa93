// The types of records and of the operator's views are written by a command, from two tables.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answerTypes } from '../../src/clients/openapi/client-answers.js';
import { clientTypes } from '../../src/clients/openapi/client-records.js';

it.each([
  ['src/clients/client/records.ts', clientTypes],
  ['src/core/operator-answers.ts', answerTypes],
])('%s is what `npm run client-types` writes', (path, types) => {
  const file = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  expect(file, 'its table has changed; run `npm run client-types`').toBe(types());
});
