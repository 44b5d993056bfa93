// The built description of the API is the one that the tests hold every answer to.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DOCUMENT } from '../support/openapi-document.js';

const BUILT = fileURLToPath(new URL('../../dist/openapi.json', import.meta.url));

it('dist/openapi.json is the document of the sources', () => {
  expect(JSON.parse(readFileSync(BUILT, 'utf8'))).toEqual(DOCUMENT);
});
