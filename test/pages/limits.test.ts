// The table of limits against the constants that the service works by.

import { expect, it } from 'vitest';
import * as limits from '../../src/core/domain/limits.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

const CONSTANTS: Readonly<Record<string, number>> = limits;
const ALL = tableRows(sectionOf('src/hosts/node/README.md', '## Limits'));

it.each(ALL)("The operators' page has the value of $Limit", (row) => {
  const names = codesIn(row['Constant'] ?? '');
  expect(row['Value']).toBe(names.map((name) => inWords(name, CONSTANTS[name])).join(', '));
});

it("The operators' page has every limit", () => {
  const named = ALL.flatMap((row) => codesIn(row['Constant'] ?? ''));
  expect(named.sort()).toEqual(Object.keys(CONSTANTS).sort());
});

/** `REQUEST_BODY_MAX_BYTES`, 1048576 → `1 MiB`: the name ends in its unit. */
function inWords(name: string, value: number | undefined): string {
  if (value === undefined) return `${name} is not in src/core/domain/limits.ts`;
  if (name.endsWith('_MS')) return `${value / 1000} s`;
  if (name.endsWith('_SECONDS')) return `${value} s`;
  if (!name.endsWith('_BYTES')) return value.toLocaleString('en-US');
  return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`;
}
