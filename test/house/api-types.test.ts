// The types of the clients and the operator's views are generated from the OpenAPI document.

import { expect, it } from 'vitest';
import { apiTypes, TYPES_FILE } from '../../scripts/api-types.js';
import { DOCUMENT } from '../support/openapi-document.js';
import { textOf } from '../support/pages.js';

it(`${TYPES_FILE} has the types of the OpenAPI document`, async () => {
  expect(textOf(TYPES_FILE), 'run npm run types').toBe(await apiTypes(DOCUMENT));
});
