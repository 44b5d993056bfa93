// How the recipes run; `npm run test:recipes` names this file.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/recipes/*.test.ts'],
    // A framework's build and a browser's start take their time on a busy machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 2,
  },
});
