// `npm run trust`: makes the clone ready, then runs the trials of test/trials,
// which make faults on purpose and count the damage. `npm run trust -- crash power`
// runs two of them; `--quick` runs short versions.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeReady, root } from './setup.js';

const args = process.argv.slice(2);
const names = args.filter((arg) => arg !== '--quick');

await makeReady();
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'test/trials/vitest.config.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TRIALS: names.join(','),
      TRIALS_QUICK: args.includes('--quick') ? '1' : '',
    },
  },
);
process.exit(status ?? 1);
