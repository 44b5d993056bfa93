// The README's table "Where is each rule?" names files and tests that exist.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TESTS = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });

const [, after = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(
  '\n## Where is each rule?\n',
);
const [table = ''] = after.split('\n## ');
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Rule'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

it('has a row for each of some twenty rules', () => {
  expect(rows.length).toBeGreaterThan(15);
});

it.each(rows.map(([, rule = '', files = '', tests = '']) => [rule, files, tests]))(
  '%s is where the table says',
  (_, files, tests) => {
    for (const name of named(files)) {
      expect(existsSync(join(ROOT, 'src', name)), `src/${name}`).toBe(true);
    }
    for (const name of named(tests)) {
      const start = name.replace(/\*$/, '');
      expect(
        TESTS.some((test) => test.startsWith(start)),
        `test/${name}`,
      ).toBe(true);
    }
  },
);

function named(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
