// How the browser tests run; `npm run test:browser` names this file.

import { defineConfig } from 'vitest/config';
import { buildOnDemand } from '../support/build-on-demand.js';

export default defineConfig({
  plugins: [buildOnDemand(false)],
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Swagger UI draws its 32 operations in 1 to 2 minutes on two busy cores.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
  },
});
