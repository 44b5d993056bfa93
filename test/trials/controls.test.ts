// The controls of long trials find the texts that they change: else a trial ends after
// minutes without a verdict.

import { expect, it } from 'vitest';
import { MUTANTS } from './histories/mutants.js';
import { UNBOUNDED } from './hostile/controls.js';
import { LESS_DURABLE, placesOf } from './service/changed-server.js';

it.each([LESS_DURABLE, ...MUTANTS, ...UNBOUNDED].map((change) => [change.name, change] as const))(
  'The build has the place of the defect "%s"',
  (_name, change) => {
    expect(placesOf(change).size).toBeGreaterThan(0);
  },
);
