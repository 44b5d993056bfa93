// What a failed build tells: the place in the sources first, one line an error.

import { expect, it } from 'vitest';
import { BuildFailure, messagesOf, thrownIn, typeErrors } from '../../scripts/build-failure.js';

it('A failed build names the place of a type error, of what threw in src, and of a bad import', () => {
  const output =
    "src/core/http/path.ts(3,5): error TS2304: Cannot find name 'x'.\n  Did you mean?\n";
  expect(typeErrors(output)).toEqual(["src/core/http/path.ts:3:5: Cannot find name 'x'. (TS2304)"]);
  expect(typeErrors('')).toEqual(['the TypeScript compiler ended without a word']);
  const thrown = Object.assign(new Error('listCustomers is not described'), {
    stack: `Error
    at describe (file:///srv/service/node_modules/.cache/document.mjs:9:1)
    at operations (/srv/service/src/clients/openapi/operations.ts:202:11)
    at document (/srv/service/src/clients/openapi/document.ts:40:1)`,
  });
  expect(thrownIn(thrown, '/srv/service/')).toBe(
    'src/clients/openapi/operations.ts:202:11: listCustomers is not described',
  );
  const location = { file: 'src/handler.ts', line: 4, column: 7 };
  const errors = [{ text: 'Could not resolve "node:fs"', location }];
  expect(messagesOf(Object.assign(new Error('x'), { errors }))).toEqual([
    'src/handler.ts:4:8: Could not resolve "node:fs"',
  ]);
});

it('A failed build shows ten errors and counts the rest', () => {
  const lines = new BuildFailure(Array(12).fill('an error')).message.split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([11, 'and 2 more; run npm run quick']);
});
