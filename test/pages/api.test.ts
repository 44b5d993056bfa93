// The API page's tables against the tables that the service works by: paths and
// methods, collections, list parameters, statuses and error codes.

import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import { formatId } from '../../src/core/domain/identifier.js';
import { ADMIN_PAGE_SIZES, DATA_PAGE_SIZES } from '../../src/core/domain/listing.js';
import { STATUS_OF } from '../../src/core/http/envelope.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { allowOf, ROUTES } from '../../src/core/http/routes.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

const PAGE = 'src/core/http/README.md';

it('Paths and methods are those of the route table', () => {
  const shown = tableRows(sectionOf(PAGE, '## Paths')).map(
    (row) => `${codesIn(row['Path'] ?? '')[0]} ${codesIn(row['Methods'] ?? '')[0]}`,
  );
  const served = ROUTES.map((route) => {
    const path = route.path.slice(API_PREFIX.length).replace(/:(\w+)/g, '{$1}');
    const { collection } = route;
    const named = collection === undefined ? path : path.replace(`/${collection}`, '/{collection}');
    return `${named} ${allowOf(route)}`;
  });
  const missing = [...new Set(served)].filter((row) => !shown.includes(row));
  const others = shown.filter((row) => !served.includes(row));
  const hint =
    'rows that the tables of paths in src/core/http/README.md lack, and rows without a route';
  expect({ missing, others }, hint).toEqual({ missing: [], others: [] });
});

describe('The table of collections', () => {
  const rows = tableRows(sectionOf(PAGE, '## Records'));

  it('has every collection in the contract’s order', () => {
    expect(rows.map((row) => row['Collection'])).toEqual([...COLLECTION_NAMES]);
  });

  it.each(COLLECTION_NAMES)('is true of %s', (name) => {
    const row = rows.find((candidate) => candidate['Collection'] === name) ?? {};
    expect(codesIn(row['First id'] ?? '')).toEqual([formatId(name, 1)]);
    expect(requiredIn(row['Must have'] ?? '')).toEqual(requiredOf(name));
    const defaults = Object.entries(COLLECTIONS[name].defaults);
    const shown = defaults.map(([property, value]) => `\`${property}\` ${value}`).join(', ');
    expect(row['Set when absent']).toBe(shown);
  });
});

it('Lists have the page sizes of both sides', () => {
  const rows = tableRows(sectionOf(PAGE, '## Lists'));
  expect(rows.map((row) => codesIn(row['Parameter'] ?? '')[0])).toEqual([
    'q',
    'status',
    'page',
    'page_size',
  ]);
  const [own, operator] = [DATA_PAGE_SIZES, ADMIN_PAGE_SIZES];
  expect(rows.at(-1)?.['Meaning']).toBe(
    `default ${own.default} and at most ${own.max}; for the operator default ${operator.default} and at most ${operator.max}`,
  );
});

it('Error codes have their statuses, and none is missing', () => {
  const shown = tableRows(sectionOf(PAGE, '## Answers')).map(
    (row) => `${row['Status']} ${codesIn(row['`error.code`'] ?? '')[0]}`,
  );
  const answered = Object.entries(STATUS_OF).map(([code, status]) => `${status} ${code}`);
  expect(
    shown.filter((row) => !answered.includes(row)),
    `rows of ${PAGE} that the service never answers`,
  ).toEqual([]);
  expect(
    answered.filter((row) => !shown.includes(row)),
    `answers that ${PAGE} lacks`,
  ).toEqual([]);
});

/** "`name`: non-empty text; `price`: number above 0" → name and its kind. */
function requiredIn(cell: string): Record<string, string> {
  const groups = cell.split(';').filter((group) => group.trim() !== '');
  return Object.fromEntries(
    groups.flatMap((group) => {
      const kind = group.slice(group.lastIndexOf(':') + 1).trim();
      return codesIn(group).map((property) => [property, kind]);
    }),
  );
}

function requiredOf(name: CollectionName): Record<string, string> {
  const required = COLLECTIONS[name].properties.filter(({ isRequired }) => isRequired);
  return Object.fromEntries(
    required.map(({ name: property, schema }) => {
      const takes = (value: unknown) => schema.safeParse(value).success;
      const isText = takes('x') && !takes('') && !takes(1);
      const isNumber = takes(0.5) && !takes(0) && !takes('1');
      return [property, isText ? 'non-empty text' : isNumber ? 'number above 0' : 'another kind'];
    }),
  );
}
