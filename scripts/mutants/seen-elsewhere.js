// Runs first in each thread and process that a test starts. In the run without a
// mutant it notes which mutants the code there reaches: a line each in
// the file that MUTANTS_SEEN names.

import { appendFileSync } from 'node:fs';
import { SEEN } from './environment-names.js';
import { passOnToForks } from './pass-on-to-forks.js';

passOnToForks();

const path = process.env[SEEN];
if (path) {
  const seen = new Set();
  const coverage = new Proxy(
    {},
    {
      get: () => 0,
      set(_target, mutant) {
        if (!seen.has(mutant)) appendFileSync(path, `${String(mutant)}\n`);
        seen.add(mutant);
        return true;
      },
    },
  );
  // A changed source writes there.
  Object.assign(globalThis, {
    __stryker__: { mutantCoverage: { static: coverage, perTest: {} } },
  });
}
