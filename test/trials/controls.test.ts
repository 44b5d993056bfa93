// The controls of long trials find the texts that they change, or a trial ends after minutes
// without a verdict; and test/README.md has a row for each trial.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { UNBOUNDED } from './hostile/controls.js';
import { LESS_DURABLE, placesOf } from './service/changed-server.js';
import { TRIALS } from './trial.js';

it.each([LESS_DURABLE, ...UNBOUNDED].map((change) => [change.name, change] as const))(
  'The build contains the text that the defect "%s" changes',
  (_name, change) => {
    expect(placesOf(change).size).toBeGreaterThan(0);
  },
);

it('test/README.md has a row for each trial, in the order of the list', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| Trial | The promise, and the fault | Found |');
  const rows = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(TRIALS));
});
