// Adds up the tests of all runs: `node .ci/counts.js FOLDER`, which holds their
// JSON reports. The last line of .ci/run. Exits with 1 if more were skipped than are known to need
// what a machine of CI lacks.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a Worker's headers can't hold, and what needs another library. */
const SKIPPED_MAX = 10;

const [folder = ''] = process.argv.slice(2);
const runs = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
process.stdout.write(
  `${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${sum('numPendingTests')} skipped\n`,
);
if (sum('numPendingTests') > SKIPPED_MAX) process.exitCode = 1;
