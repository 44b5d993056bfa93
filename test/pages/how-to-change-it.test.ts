// The front page's lists "How to change it": the files that a change must touch
// are those in which the things of that kind stand.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { OPERATOR_VIEWS } from '../../src/core/domain/operator-views.js';
import { STATUS_OF } from '../../src/core/http/envelope.js';
import { codesIn, ROOT, sectionOf, tableRows, textOf } from '../support/pages.js';

const FRONT_PAGE = 'README.md';
/** Lists of all collections, and of all codes or settings, are at most so long. */
const COLLECTION_LINES = 12;
const LIST_LINES = 80;
const rows = tableRows(sectionOf(FRONT_PAGE, '## How to change it'));
const FILES = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js|md)$/.test(name))
    .map((name) => join(folder, name)),
);

function listed(change: string): string[] {
  const row = rows.find((candidate) => candidate['To add'] === change);
  return codesIn(row?.['Change these files'] ?? '');
}

/** Files in which the words stand near each other, each as a name of its own: quoted, a key, or a cell of a table. */
function filesWithAll(words: readonly string[], linesMax: number): string[] {
  const patterns = words.map(
    (word) => new RegExp(`['"\`]${word}['"\`]|\\b${word}:|\\| ${word} \\|`),
  );
  return FILES.filter((file) => {
    const lines = textOf(file).split('\n');
    const [first] = patterns;
    return lines.some((line, index) => {
      if (!first?.test(line)) return false;
      const near = lines.slice(Math.max(0, index - linesMax), index + linesMax).join('\n');
      return patterns.every((pattern) => pattern.test(near));
    });
  });
}

const CHANGES = [
  'a collection',
  'a data route',
  "an operator's view",
  'a setting',
  'an error code',
  'a storage engine',
  'a command',
  'a rule',
];

it.each(CHANGES)('has a list for %s', (change) => {
  expect(rows.map((row) => row['To add'])).toContain(change);
});

describe('The list for a collection', () => {
  /** They name collections of their own choice in examples, or test one of the tables of src. */
  const OTHERS = [/^test\/pages\//, /^test\/trials\/(?!model\/account-model)/];

  it('has every file that names each collection', () => {
    const files = filesWithAll(COLLECTION_NAMES, COLLECTION_LINES).filter(
      (file) => !OTHERS.some((pattern) => pattern.test(file)),
    );
    const missing = files.filter((file) => !listed('a collection').includes(file));
    expect(
      missing,
      'these name every collection: make their list from COLLECTION_NAMES, or add them to "How to change it"',
    ).toEqual([]);
  });
});

describe('The list for an error code', () => {
  it('has every file that names each error code', () => {
    const files = filesWithAll(Object.keys(STATUS_OF), LIST_LINES);
    const missing = files.filter((file) => !listed('an error code').includes(file));
    expect(missing, 'these name every error code; add them to "How to change it"').toEqual([]);
  });
});

describe('The list for a setting', () => {
  it('has every file of src that names each setting that both hosts have', () => {
    const shared = tableRows(sectionOf('src/hosts/node/README.md', '## Settings'))
      .filter((row) => row['Hosts'] === 'both')
      .map((row) => codesIn(row['Setting'] ?? '')[0] ?? '');
    const files = filesWithAll(shared, 2 * LIST_LINES);
    const missing = files.filter((file) => !listed('a setting').includes(file));
    expect(missing, 'these name every setting; add them to "How to change it"').toEqual([]);
  });
});

describe("The list for an operator's view", () => {
  const list = listed("an operator's view");
  const views = Object.keys(OPERATOR_VIEWS);
  /** Programs that use views of their choice, and tests of one view or another. */
  const OTHERS = /^src\/tools\/|^src\/hosts\/operations\/|^test\/(?!support\/route-table)/;

  it('has at most eight places to write by hand', () => {
    const made = 'src/core/operator-answers.ts';
    const written = list.filter((place) => /^(src|test)\//.test(place) && place !== made);
    expect(written.length).toBeLessThanOrEqual(8);
  });

  it('has every file that names each view', () => {
    const naming = views.map((view) => new RegExp(`\\b${view}[(:]|['"\`/]${view}['"\`(]`));
    const files = FILES.filter(
      (file) => !OTHERS.test(file) && naming.every((pattern) => pattern.test(textOf(file))),
    );
    const missing = files.filter((file) => !list.includes(file));
    expect(missing, 'these name every view; add them to "How to change it"').toEqual([]);
    expect(files).toContain('src/storage/postgres/postgres-views.ts');
  });
});
