// The controls of long trials find the texts that they change: else a trial ends after
// minutes without a verdict.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/setup.js';
import { MUTANTS } from './histories/mutants.js';
import { UNBOUNDED } from './hostile/controls.js';
import { placesOf } from './service/changed-server.js';
import { type Control, LESS_DURABLE, NOT_WAITING } from './service/controls.js';

it.each<[string, Control]>([
  ['a build that does not sync', LESS_DURABLE],
  ['a build that does not wait for the replica', NOT_WAITING],
])('The build has each text that %s replaces, once', (_name, { file, replacements }) => {
  const text = readFileSync(join(root, 'dist', file), 'utf8');
  const counts = replacements.map(([from]) => [from, text.split(from).length - 1]);
  expect(counts, 'correct the text in test/trials/service/controls.ts').toEqual(
    replacements.map(([from]) => [from, 1]),
  );
});

it.each([...MUTANTS, ...UNBOUNDED].map((change) => [change.name, change] as const))(
  'The build has the place of the defect "%s"',
  (_name, change) => {
    expect(placesOf(change).size).toBeGreaterThan(0);
  },
);
