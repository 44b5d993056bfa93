// `npm run trust`: makes the clone ready, then runs the trials of test/trials,
// which make faults on purpose and count the damage. `npm run trust -- power faults`
// runs two of them; `--quick` runs short versions, `--long` those for a night of the
// trials that have one, `--only "kill -9"` the runs of a trial with that in their name.
// `--minutes 20` says how long a trial lasts that takes any time; `--seeds 1,2` repeats
// what a random one did.
// `--small` runs the versions of a minute or less that judge no times (*.small.ts).

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeReady, root } from './setup.js';

const { values, positionals: names } = options();

await makeReady();
// Not the system's folder for temporary files: that may be memory, where a sync means nothing.
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/trust-'));
// vitest gets the same signal and ends; the folder is removed afterwards.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

const config = values.small ? 'test/vitest.config.ts' : 'test/trials/vitest.config.ts';
const files = values.small ? names : [];
const vitest = spawn(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TRIALS: names.join(','),
      TRIALS_SMALL: values.small ? '1' : '',
      TRIALS_QUICK: values.quick ? '1' : '',
      TRIALS_LONG: values.long ? '1' : '',
      TRIALS_ONLY: values.only,
      TRIALS_MINUTES: values.minutes,
      TRIALS_SEEDS: values.seeds,
      TRIALS_FOLDER: folder,
    },
  },
);
vitest.once('exit', (code) => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.exit(code ?? 130);
});

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        small: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        minutes: { type: 'string', default: '' },
        seeds: { type: 'string', default: '' },
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return process.exit(2);
  }
}
