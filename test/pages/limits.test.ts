// The tables of limits in the pages against the constants that the service works
// by, and the OpenAPI document's limits against the contract's.

import { describe, expect, it } from 'vitest';
import { PARAMETERS } from '../../src/clients/openapi/parameters.js';
import * as limits from '../../src/core/domain/limits.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

const CONSTANTS: Readonly<Record<string, number>> = limits;

const TABLES = [
  ['README.md', '## Headline limits'],
  ['src/hosts/node/README.md', '## Limits'],
] as const;

describe.each(TABLES)('%s, %s', (page, heading) => {
  const rows = tableRows(sectionOf(page, heading));

  it.each(rows.map((row) => [row['Limit'] ?? '', row] as const))('%s', (_, row) => {
    const names = codesIn(row['Constant'] ?? '');
    expect(names.length).toBeGreaterThan(0);
    const values = names.map((name) => inWords(name, CONSTANTS[name]));
    expect(row['Value']).toBe(values.join(', '));
  });
});

it("The operators' page has every limit", () => {
  const rows = tableRows(sectionOf('src/hosts/node/README.md', '## Limits'));
  const named = rows.flatMap((row) => codesIn(row['Constant'] ?? ''));
  expect(named.sort()).toEqual(Object.keys(CONSTANTS).sort());
});

describe('The OpenAPI document', () => {
  // The contract's numbers, not the service's constants: these are under test.
  it.each([
    ['page_size', 'More than 100 counts as 100; ', 20],
    ['admin_page_size', 'More than 200 counts as 200; ', 50],
    ['page', '', 1],
  ] as const)('describes %s as the contract does: no value is refused', (name, cap, fallback) => {
    const { description, schema } = PARAMETERS[name];
    expect(description).toContain(`${cap}`);
    expect(description).toMatch(new RegExp(`not a positive whole number counts as ${fallback}$`));
    expect(schema).toEqual({
      type: 'integer',
      format: 'int64',
      minimum: 1,
      default: fallback,
      'x-unchecked': true,
    });
  });
});

/** `REQUEST_BODY_MAX_BYTES`, 1048576 → `1 MiB`: the name ends in its unit. */
function inWords(name: string, value: number | undefined): string {
  if (value === undefined) return `${name} is not in src/core/domain/limits.ts`;
  if (name.endsWith('_MS')) return `${value / 1000} s`;
  if (name.endsWith('_SECONDS')) return `${value} s`;
  if (!name.endsWith('_BYTES')) return value.toLocaleString('en-US');
  return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`;
}
