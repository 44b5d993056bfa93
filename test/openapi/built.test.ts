// The built description of the API is the one that the tests hold every answer to.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/clients/openapi/document.js';
import { inVersion30 } from '../../src/clients/openapi/version-3-0.js';
import { DOCUMENT } from '../support/openapi-document.js';

it('dist/openapi.json is the document of the sources', () => {
  expect(built('openapi.json')).toEqual(DOCUMENT);
});

it('dist/openapi-3.0.json is the same in OpenAPI 3.0.3', () => {
  expect(built('openapi-3.0.json')).toEqual(inVersion30(openApiDocument()));
});

function built(name: string): unknown {
  const path = fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));
  return JSON.parse(readFileSync(path, 'utf8'));
}
