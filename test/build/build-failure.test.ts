// What a failed build tells: the place in the sources first, one line an error.

import { describe, expect, it } from 'vitest';
import { BuildFailure, messagesOf, thrownIn, typeErrors } from '../../scripts/build-failure.js';

describe('A failed build', () => {
  it('names file, line and column of a type error, without its indented details', () => {
    const output = `src/core/http/path.ts(3,5): error TS2304: Cannot find name 'x'.
  Did you mean 'y'?
`;
    expect(typeErrors(output)).toEqual([
      "src/core/http/path.ts:3:5: Cannot find name 'x'. (TS2304)",
    ]);
  });

  it('says that the compiler ended without output', () => {
    expect(typeErrors('')).toEqual(['the TypeScript compiler ended without a word']);
  });

  it('names the line of src that threw, not the line of the bundle', () => {
    const error = new Error('listCustomers is not described');
    error.stack = `Error: listCustomers is not described
    at describe (file:///srv/service/node_modules/.cache/document.mjs:9:1)
    at operations (/srv/service/src/clients/openapi/operations.ts:202:11)
    at document (/srv/service/src/clients/openapi/document.ts:40:1)`;
    expect(thrownIn(error, '/srv/service/')).toBe(
      'src/clients/openapi/operations.ts:202:11: listCustomers is not described',
    );
  });

  it('names the line of an import that cannot be bundled', () => {
    const location = { file: 'src/handler.ts', line: 4, column: 7 };
    const error = Object.assign(new Error('x'), {
      errors: [{ text: 'Could not resolve "node:fs"', location }],
    });
    expect(messagesOf(error)).toEqual(['src/handler.ts:4:8: Could not resolve "node:fs"']);
  });

  it('shows ten errors and counts the rest', () => {
    const errors = Array.from({ length: 12 }, (_, index) => `error ${index}`);
    const lines = new BuildFailure(errors).message.split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('and 2 more; run npm run check');
  });
});
