// How the browser tests run; `npm run test:browser` names this file.

import { defineConfig } from 'vitest/config';
import { buildOnDemand } from '../support/build-on-demand.js';

export default defineConfig({
  plugins: [buildOnDemand(false)],
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    server: { deps: { external: [/\/dist\//] } },
  },
});
