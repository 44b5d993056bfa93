// The promised form of a VALIDATION_FAILED message: the grammar of the API page against
// every message that the rules of the collections can make, and the table of reasons
// against the client.

import { describe, expect, it } from 'vitest';
import { fieldProblems } from '../../src/clients/client/field-problems.js';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import type { JsonValue } from '../../src/core/domain/json.js';
import { validated } from '../../src/core/domain/record.js';
import { pageCode, sectionOf, tableRows } from '../support/pages.js';

const PAGE = 'src/core/http/README.md';
const SECTION = '## Which field is wrong';
const VALUES: readonly (JsonValue | undefined)[] = [
  undefined,
  null,
  '',
  'is 5; it must be a lie',
  true,
  {},
  ['; '],
  0,
  -0.5,
  -1e-300,
  -1e21,
  5,
];

/** One message with every required property of a collection wrong, for each value. */
const MESSAGES = COLLECTION_NAMES.flatMap((name) =>
  VALUES.map((value) => {
    const { required } = COLLECTIONS[name];
    const record = Object.fromEntries(
      required.flatMap((property) => (value === undefined ? [] : [[property, value]])),
    );
    const verdict = validated(name, record);
    return verdict.ok ? '' : verdict.failure.message;
  }),
).filter((message) => message !== '');

/** The rules of the page's grammar, each as a regular expression. */
function grammar(): Readonly<Record<string, string>> {
  const rules: Record<string, string> = { number: '-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?' };
  for (const line of pageCode(PAGE, SECTION, 'abnf').split('\n')) {
    const [, name, alternatives] = /^(found|wanted) += (.+)$/.exec(line) ?? [];
    if (name === undefined || alternatives === undefined) continue;
    const parts = alternatives.split(' / ').map((part) => rules[part] ?? part.slice(1, -1));
    rules[name] = `(?:${parts.join('|')})`;
  }
  return rules;
}

describe('The message of VALIDATION_FAILED', () => {
  it('has the form of the page, whatever was sent', () => {
    const { found, wanted } = grammar();
    const problem = `\\w+ is ${found}; it must be ${wanted}`;
    expect(MESSAGES.length).toBeGreaterThan(40);
    const others = MESSAGES.filter(
      (message) => !new RegExp(`^${problem}(; ${problem})*$`).test(message),
    );
    expect(others, `messages that are not of the form in ${PAGE}, "${SECTION}"`).toEqual([]);
  });

  it('is read by the regular expression of the page', () => {
    const source = /`(\(\\w\+\) is .+?)`/.exec(sectionOf(PAGE, SECTION))?.[1] ?? '';
    for (const message of MESSAGES) {
      const read = [...message.matchAll(new RegExp(source, 'g'))].map(
        ([, property, found, wanted]) => `${property} is ${found}; it must be ${wanted}`,
      );
      expect(read.join('; ')).toBe(message);
    }
  });

  it('has the reasons of the page for the client', () => {
    const rows = tableRows(sectionOf(PAGE, SECTION)).map((row) => ({
      reason: row['Reason']?.replaceAll('`', ''),
      found: row['`found`']?.replaceAll('`', '') ?? '',
      wanted: row['`wanted`']?.replaceAll('`', '') ?? '',
    }));
    const fits = (shown: string, word: string) =>
      ['any', 'anything else', word].includes(shown) || (shown === 'a number' && /\d$/.test(word));
    for (const message of MESSAGES) {
      for (const [name, { reason, message: problem }] of Object.entries(
        fieldProblems(message, undefined),
      )) {
        const [, found = '', wanted = ''] = /^is (.+); it must be (.+)$/.exec(problem) ?? [];
        const row = rows.find((one) => fits(one.found, found) && fits(one.wanted, wanted));
        expect(reason, `${name} ${problem}`).toBe(row?.reason);
      }
    }
  });
});
