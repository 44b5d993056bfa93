// `npm test`: makes the clone ready, then runs the tests. Arguments go to
// vitest: `npm test -- contract/list` runs the files with that in their path.
// `npm run test:browser` runs those that need Chromium.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeReady, root } from './setup.js';

const [first, ...rest] = process.argv.slice(2);
const isBrowser = first === '--browser';
const config = isBrowser ? 'test/browser/vitest.config.ts' : 'test/vitest.config.ts';

await makeReady();
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    config,
    ...(isBrowser ? rest : process.argv.slice(2)),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
