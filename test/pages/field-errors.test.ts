// The promised form of a VALIDATION_FAILED message: the grammar of the API page, its regular
// expression and its table of reasons, against every message that the collections' rules can make.

import { expect, it } from 'vitest';
import { fieldProblems } from '../../src/clients/client/field-problems.js';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import type { JsonObject } from '../../src/core/domain/json.js';
import { validated } from '../../src/core/domain/record.js';
import { pageCode, sectionOf, tableRows } from '../support/pages.js';

const PAGE = 'src/core/http/README.md';
const SECTION = '## Which field is wrong';
const VALUES = [undefined, null, '', 'is 5; it must be a lie', true, {}, ['; '], 0, -0.5, -1e21];

/** One message with every required property of a collection wrong, for each value. */
const MESSAGES = COLLECTION_NAMES.flatMap((name) =>
  VALUES.flatMap((value) => {
    const required = value === undefined ? [] : COLLECTIONS[name].required;
    const record = Object.fromEntries(required.map((key) => [key, value])) as JsonObject;
    const verdict = validated(name, record);
    return verdict.ok ? [] : [verdict.failure.message];
  }),
);

it('Every message has the form of the page’s grammar', () => {
  const rules: Record<string, string> = { number: '-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?' };
  for (const [, name = '', words = ''] of pageCode(PAGE, SECTION, 'abnf').matchAll(
    /^(found|wanted) += (.+)$/gm,
  )) {
    rules[name] = words
      .split(' / ')
      .map((word) => rules[word] ?? word.slice(1, -1))
      .join('|');
  }
  const problem = `\\w+ is (?:${rules['found']}); it must be (?:${rules['wanted']})`;
  const form = new RegExp(`^${problem}(; ${problem})*$`);
  expect(MESSAGES.length).toBeGreaterThan(30);
  expect(MESSAGES.filter((message) => !form.test(message))).toEqual([]);
});

it('The page’s regular expression reads every message, and its table gives the client’s reasons', () => {
  const source = /`(\(\\w\+\) is .+?)`/.exec(sectionOf(PAGE, SECTION))?.[1] ?? '';
  const rows = tableRows(sectionOf(PAGE, SECTION).replaceAll('`', ''));
  const fits = (shown: string | undefined, word: string) =>
    ['any', 'anything else', word].includes(shown ?? '') ||
    (shown === 'a number' && /\d$/.test(word));
  for (const message of MESSAGES) {
    const read = [...message.matchAll(new RegExp(source, 'g'))];
    const again = read.map(
      ([, name, found, wanted]) => `${name} is ${found}; it must be ${wanted}`,
    );
    expect(again.join('; ')).toBe(message);
    const reasons = read.map(([, name, found = '', wanted = '']) => [
      name,
      rows.find((row) => fits(row['found'], found) && fits(row['wanted'], wanted))?.['Reason'],
    ]);
    const known = Object.entries(fieldProblems(message, undefined));
    expect(known.map(([name, { reason }]) => [name, reason])).toEqual(reasons);
  }
});
