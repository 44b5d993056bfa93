// The clients' types of records are written by a command, from the table of collections.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientTypes } from '../../src/openapi/client-records.js';

it('src/client/records.ts is what `npm run client-types` writes', () => {
  const file = readFileSync(new URL('../../src/client/records.ts', import.meta.url), 'utf8');
  expect(file, 'the table of collections has changed; run `npm run client-types`').toBe(
    clientTypes(),
  );
});
