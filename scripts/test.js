// `npm test`: makes the clone ready, then runs the tests. Arguments go to
// vitest: `npm test -- contract/list` runs the files with that in their path.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeReady, root } from './setup.js';

await makeReady();
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
