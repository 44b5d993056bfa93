// The clients' types of records are written by a command, from the table of collections.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientTypes } from '../../src/clients/openapi/client-records.js';

it('src/clients/client/records.ts is what `npm run client-types` writes', () => {
  const file = readFileSync(
    new URL('../../src/clients/client/records.ts', import.meta.url),
    'utf8',
  );
  expect(file, 'the table of collections has changed; run `npm run client-types`').toBe(
    clientTypes(),
  );
});
