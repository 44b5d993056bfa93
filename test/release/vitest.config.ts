// How the tests of a release run; `npm run test:release` names this file.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/release/*.test.ts'],
    // The first one makes the release: it builds, fetches Node and compresses it.
    globalSetup: ['test/release/made-release.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
