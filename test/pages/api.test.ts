// The API page's tables compared with the tables that the service uses: paths and methods, page
// sizes, statuses and error codes, the form of a VALIDATION_FAILED message. Also each code of the
// clients' own.

import { expect, it } from 'vitest';
import type { ClientErrorCode } from '../../src/client.js';
import { fieldProblems } from '../../src/clients/client/field-problems.js';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import type { JsonObject } from '../../src/core/domain/json.js';
import { ADMIN_PAGE_SIZES, DATA_PAGE_SIZES } from '../../src/core/domain/listing.js';
import { validated } from '../../src/core/domain/record.js';
import { STATUS_OF } from '../../src/core/http/envelope.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { ROUTES } from '../../src/core/http/routes.js';
import { codesIn, type Row, sectionOf, tableRows } from '../support/pages.js';

const PAGE = 'src/core/http/README.md';
const CLIENT_PAGE = 'src/clients/client/README.md';
const cell = (row: Row | undefined, column: string) => codesIn(row?.[column] ?? '')[0];
const pathOf = (path: string) => path.slice(API_PREFIX.length).replace(/:(\w+)/g, '{$1}');
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

it('Paths and methods are those of the route table', () => {
  const rows = tableRows(sectionOf(PAGE, '## Paths'));
  const shown = rows.map((row) => `${cell(row, 'Path')} ${cell(row, 'Methods')}`);
  const served = ROUTES.map((route) => {
    const path = pathOf(route.path).replace(`/${route.collection}`, '/{collection}');
    return `${path} ${Object.keys(route.actions).join(', ')}`;
  });
  expect(sorted(shown)).toEqual(sorted(served));
});

it('Lists have the page sizes of accounts and operator', () => {
  const rows = tableRows(sectionOf(PAGE, '## Lists'));
  expect(rows.map((row) => cell(row, 'Parameter'))).toEqual(['q', 'status', 'page', 'page_size']);
  const [own, operator] = [DATA_PAGE_SIZES, ADMIN_PAGE_SIZES].map(
    (sizes) => `default ${sizes.default} and at most ${sizes.max}`,
  );
  expect(rows.at(-1)?.['Meaning']).toBe(`${own}; for the operator ${operator}`);
});

it('Error codes have their statuses, and none is missing', () => {
  const rows = tableRows(sectionOf(PAGE, '## Responses'));
  const shown = rows.map((row) => `${row['Status']} ${cell(row, '`error.code`')}`);
  const answered = Object.entries(STATUS_OF).map(([code, status]) => `${status} ${code}`);
  expect(sorted(shown)).toEqual(sorted(answered));
});

it("The client's page explains every code of the client's own, and no code that does not exist", () => {
  // The compiler reports each that is missing or extra.
  const own = {
    ...{ ABORTED: 1, CONNECTION_FAILED: 1, INVALID_CALL: 1, NO_TOKEN: 1 },
    ...{ RATE_LIMITED: 1, TIMED_OUT: 1, UNEXPECTED_ANSWER: 1 },
  } satisfies Readonly<Record<ClientErrorCode, 1>>;
  const rows = tableRows(sectionOf(CLIENT_PAGE, '### Errors'));
  const shown = rows.flatMap((row) => codesIn(row['`code`'] ?? ''));
  expect(shown).toEqual(expect.arrayContaining(Object.keys(own)));
  expect(shown.filter((code) => !(code in own || code in STATUS_OF))).toEqual([]);
});

const SECTION = '## Which field is wrong';
const VALUES = [undefined, null, '', 'is 5; it must be a lie', true, {}, ['; '], 0, -0.5, -1e21];

/** One message with every required property of a collection wrong, for each value. */
const MESSAGES = COLLECTION_NAMES.flatMap((name) =>
  VALUES.flatMap((value) => {
    const given = value === undefined ? [] : COLLECTIONS[name].properties;
    const record = Object.fromEntries(given.map((each) => [each.name, value])) as JsonObject;
    const verdict = validated(name, record);
    return verdict.ok ? [] : [verdict.failure.message];
  }),
);

it('The page’s regular expression parses every message, and its table gives the client’s reasons', () => {
  const section = sectionOf(PAGE, SECTION);
  const source = /`(\(\\w\+\) is .+?)`/.exec(section)?.[1] ?? '';
  const rows = tableRows(section.replaceAll('`', ''));
  const fits = (shown: string | undefined, word: string) =>
    ['any', 'anything else', word].includes(shown ?? '') ||
    (shown === 'a number' && /\d$/.test(word));
  expect(MESSAGES.length).toBeGreaterThan(30);
  for (const message of MESSAGES) {
    const read = [...message.matchAll(new RegExp(source, 'g'))];
    const again = read.map(([, name, found, want]) => `${name} is ${found}; it must be ${want}`);
    expect(again.join('; ')).toBe(message);
    const reasons = read.map(([, name, found = '', wanted = '']) => {
      const row = rows.find(({ is, 'must be': must }) => fits(is, found) && fits(must, wanted));
      return [name, row?.['Reason']];
    });
    const known = Object.entries(fieldProblems(message, undefined));
    expect(known.map(([name, { reason }]) => [name, reason])).toEqual(reasons);
  }
});
