// What a failed build tells: the place in the sources first, one line an error.

import { expect, it } from 'vitest';
import { BuildFailure, messagesOf, thrownIn, typeErrors } from '../../scripts/build-failure.js';

it('A failed build names the place of a type error, of what threw in src, and of a bad import', () => {
  const output = "src/path.ts(3,5): error TS2304: Cannot find name 'x'.\n  Did you mean?\n";
  expect(typeErrors(output)).toEqual(["src/path.ts:3:5: Cannot find name 'x'. (TS2304)"]);
  expect(typeErrors('')).toEqual(['the TypeScript compiler failed without an error message']);
  const stack = `Error
    at describe (file:///srv/node_modules/.cache/document.mjs:9:1)
    at operations (/srv/src/clients/operations.ts:202:11)`;
  const thrown = Object.assign(new Error('not described'), { stack });
  expect(thrownIn(thrown, '/srv/')).toBe('src/clients/operations.ts:202:11: not described');
  const location = { file: 'src/handler.ts', line: 4, column: 7 };
  const failed = Object.assign(new Error('x'), { errors: [{ text: 'No "node:fs"', location }] });
  expect(messagesOf(failed)).toEqual(['src/handler.ts:4:8: No "node:fs"']);
  const lines = new BuildFailure(Array(12).fill('an error')).message.split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([11, 'and 2 more; run npm run quick']);
});
