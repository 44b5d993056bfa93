// Adds up the tests of all runs: `node .ci/counts.js FOLDER`, which holds their
// JSON reports. The last line of .ci/run.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
const runs = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
process.stdout.write(
  `${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${sum('numPendingTests')} skipped\n`,
);
