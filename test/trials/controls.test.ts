// The controls of long trials find the texts that they change: else a trial ends after
// minutes without a verdict.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/setup.js';
import { MUTANTS } from './histories/mutants.js';
import { UNBOUNDED } from './hostile/controls.js';
import { placesOf } from './service/changed-server.js';
import { LESS_DURABLE } from './service/controls.js';

it('The build has each text that a build without syncs replaces, once', () => {
  const { file, replacements } = LESS_DURABLE;
  const text = readFileSync(join(root, 'dist', file), 'utf8');
  const counts = replacements.map(([from]) => text.split(from).length - 1);
  expect(counts, 'correct the text in test/trials/service/controls.ts').toEqual([1, 1]);
});

it.each([...MUTANTS, ...UNBOUNDED].map((change) => [change.name, change] as const))(
  'The build has the place of the defect "%s"',
  (_name, change) => {
    expect(placesOf(change).size).toBeGreaterThan(0);
  },
);
