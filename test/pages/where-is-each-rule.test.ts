// The table "Where is each rule?" names the one file of each rule: the words of
// the row stand in a comment of that file, and in a comment of no other.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesIn, ROOT, sectionOf, tableRows, textOf } from '../support/pages.js';

const PAGE = 'src/README.md';
const rows = tableRows(sectionOf(PAGE, '## Where is each rule?'));
const TESTS = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });

/** The comments of every source file, in plain lower-case words. */
const COMMENTS = new Map(
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, plain(commentsIn(textOf(join('src', name))))]),
);

it('has a row for each of some sixty rules', () => {
  expect(rows.length).toBeGreaterThan(60);
});

const RULES = rows.map((row) => ({
  rule: row['Rule'] ?? '',
  files: codesIn(row['File'] ?? ''),
  tests: codesIn(row['Test'] ?? ''),
}));

describe.each(RULES)('$rule', ({ rule, files, tests }) => {
  const words = distinctiveWords(rule);

  it('stands in the file that the table names, and in no other', () => {
    expect(files.length, `${PAGE}: the row names no file`).toBeGreaterThan(0);
    for (const file of files) {
      expect(COMMENTS.has(file), `${PAGE} names src/${file}, which does not exist`).toBe(true);
    }
    const found = [...COMMENTS].filter(([, text]) => text.includes(plain(words)));
    expect(
      found.map(([name]) => name).sort(),
      `comments with the words "${words}"; let the row of ${PAGE} name their file, or quote them there`,
    ).toEqual([...files].sort());
  });

  it('has the tests that the table names', () => {
    expect(tests.length, `${PAGE}: the row names no test`).toBeGreaterThan(0);
    for (const name of tests) {
      const start = name.replace(/\*$/, '');
      expect(
        TESTS.some((test) => test.startsWith(start)),
        `${PAGE} names test/${name}, which does not exist`,
      ).toBe(true);
    }
  });
});

/** The words in bold; without bold words the first quotation. */
function distinctiveWords(rule: string): string {
  const words = /\*\*(.+?)\*\*/.exec(rule)?.[1] ?? /"(.+?)"/.exec(rule)?.[1];
  if (words === undefined) throw new Error(`${PAGE}: "${rule}" quotes nothing to look for`);
  return words;
}

/** Comments of the source, joined over their lines. */
function commentsIn(source: string): string {
  const found = source.match(/\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? [];
  return found.join('\n').replace(/^\s*(\/\/|\/\*\*|\*\/|\*(?=\s))/gm, ' ');
}

function plain(text: string): string {
  return text
    .replace(/[`"“”*]/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}
