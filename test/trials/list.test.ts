// The page of the trials names all of them.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TRIALS } from './list.js';

it('test/README.md has a row for each trial, in the order of the list', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| Trial | The promise, and the fault | Found |');
  const rows = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(TRIALS));
});
