// How the trials run; `npm run trust` names this file. `npm test` does not run them.

import { defineConfig } from 'vitest/config';

/** Longer than the longest trial, so that a trial's own limits decide. */
const TRIAL_TIMEOUT_MS = 14 * 60 * 60 * 1_000;

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/trials/every-trial.trial.ts'],
    reporters: ['dot'],
    testTimeout: TRIAL_TIMEOUT_MS,
    // The trials measure times: one process, one trial after the other.
    fileParallelism: false,
    // Imports of the package by its own name get the built files, as a user's would.
    server: { deps: { external: [/\/dist\//] } },
  },
});
