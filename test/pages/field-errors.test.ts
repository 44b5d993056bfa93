// The promised form of a VALIDATION_FAILED message: the words of the API page, its regular
// expression and its table of reasons, against every message that the collections' rules can make.

import { expect, it } from 'vitest';
import { fieldProblems } from '../../src/clients/client/field-problems.js';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import type { JsonObject } from '../../src/core/domain/json.js';
import { validated } from '../../src/core/domain/record.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

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

it('The page’s regular expression reads every message, its words are all, and its table gives the client’s reasons', () => {
  const section = sectionOf(PAGE, SECTION);
  const source = /`(\(\\w\+\) is .+?)`/.exec(section)?.[1] ?? '';
  const rows = tableRows(section.replaceAll('`', ''));
  const fits = (shown: string | undefined, word: string) =>
    ['any', 'anything else', word].includes(shown ?? '') ||
    (shown === 'a number' && /\d$/.test(word));
  const words = new Set<string>();
  expect(MESSAGES.length).toBeGreaterThan(30);
  for (const message of MESSAGES) {
    const read = [...message.matchAll(new RegExp(source, 'g'))];
    const again = read.map(([, name, found, want]) => `${name} is ${found}; it must be ${want}`);
    expect(again.join('; ')).toBe(message);
    const reasons = read.map(([, name, found = '', wanted = '']) => {
      for (const word of [found, wanted]) if (!/^-?\d/.test(word)) words.add(word);
      const row = rows.find(({ is, 'must be': must }) => fits(is, found) && fits(must, wanted));
      return [name, row?.['Reason']];
    });
    const known = Object.entries(fieldProblems(message, undefined));
    expect(known.map(([name, { reason }]) => [name, reason])).toEqual(reasons);
  }
  const [, told = ''] = /^After (`is`.*)$/m.exec(section) ?? [];
  expect([...words, 'is', 'must be'].sort()).toEqual(codesIn(told).sort());
});
