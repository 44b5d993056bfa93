// How the tests of other people's programs run; `npm run compat` names this file.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/compat/*.test.ts'],
    // Compilers, frameworks and browsers take their time on a busy machine.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    maxWorkers: 2,
    // Imports of the package by its own name get the built files, as a user's would.
    server: { deps: { external: [/\/dist\//] } },
  },
});
