// The table of all bounds in SECURITY.md: each row's number is that of the constant in the file that it names.

import { describe, expect, it } from 'vitest';
import { constantOf, textOf } from '../support/pages.js';

const PAGE = 'src/hosts/node/SECURITY.md';
const ROWS = [
  ...textOf(PAGE).matchAll(/^\|([^|]+)\|([^|]+)\| `([A-Z_]+)` \| `(src\/[^`]+)` \|/gm),
].map(([, what = '', bound = '', constant = '', file = '']) => ({
  what: what.trim(),
  bound,
  constant,
  file,
}));

/** How the page may write a number: plain, or in a larger unit. */
function spellings(value: number, constant: string): string[] {
  const plain = value.toLocaleString('en-US');
  if (constant.endsWith('_MS')) return [`${value / 1_000} s`, `${plain} ms`];
  if (constant.endsWith('_BYTES')) return [`${value / 1_048_576} MiB`, `${value / 1_024} KiB`];
  return [plain];
}

describe(`The table of all bounds in ${PAGE}`, () => {
  it('has a row for each kind of thing that one sender could pile up', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(30);
  });

  it.each(ROWS)('"$what" has the number of $constant in $file', ({ bound, constant, file }) => {
    const numbers: string[] = bound.match(/[\d,]+(?:\.\d+)?(?: (?:MiB|KiB|ms|s)\b)?/g) ?? [];
    const value = constantOf(file, constant);
    expect(
      spellings(value, constant).some((spelling) => numbers.includes(spelling)),
      `${PAGE}: write ${spellings(value, constant)[0]} in the row of ${constant}; it has ${numbers}`,
    ).toBe(true);
  });
});
