// How the tests run against mutants: those that work on sources alone, the
// contract suite on the host from source among them.

import { defineConfig } from 'vitest/config';
import { buildOnDemand, fromSource } from '../../test/support/build-on-demand.js';

const ROOT = new URL('../..', import.meta.url).pathname;

export default defineConfig({
  plugins: [buildOnDemand(true), fromSource()],
  root: ROOT,
  test: {
    include: (process.env['MUTANT_TESTS'] ?? '').split(','),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { TEST_HOSTS: 'handler' },
    globalSetup: ['test/support/met-answers.ts'],
    setupFiles: ['scripts/mutants/first-failure.ts'],
  },
});
