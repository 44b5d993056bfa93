// How the tests run; `npm test` names this file.

import { defineConfig } from 'vitest/config';
import { buildOnDemand, fromSource } from './support/build-on-demand.js';

const isFromSource = process.env['TEST_HOSTS'] === 'handler';

export default defineConfig({
  plugins: [buildOnDemand(isFromSource), ...(isFromSource ? [fromSource()] : [])],
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    // These have their own commands: npm run test:browser and npm run test:recipes.
    exclude: ['test/browser/**', 'test/recipes/**'],
    globalSetup: ['test/support/met-answers.ts'],
    // Processes and files are started for real; a busy machine makes them slow, not wrong.
    // The time-out ends a test that hangs; no test's verdict depends on it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most of the time is waiting for time-outs and processes: more files at once than there are cores.
    maxWorkers: 4,
    // Imports of the package by its own name get the built files, as a user's would.
    server: { deps: { external: [/\/dist\//] } },
  },
});
