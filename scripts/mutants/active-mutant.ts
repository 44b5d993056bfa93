// Tests of mutants: threads and processes that a test starts get the mutant, too.
// They inherit this variable, and a changed source reads it where nothing else
// names the mutant.

import { inject } from 'vitest';

const ACTIVE = '__STRYKER_ACTIVE_MUTANT__';

// @ts-expect-error Stryker provides it.
const mutant: string | undefined = inject('activeMutant');
if (mutant === undefined) delete process.env[ACTIVE];
else process.env[ACTIVE] = mutant;
