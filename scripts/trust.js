// `npm run trust`: runs the trials of test/trials, which inject faults and count the damage.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './root.js';

const HELP = `npm run trust -- [TRIAL ...] [options]

Injects faults and counts the damage. Without a name it runs every trial, which takes more than an
hour; test/README.md lists them.

  --small         small versions, about a minute in all; they don't judge times
  --quick         a short version of each, about a minute long
  --only WORDS    only the runs whose name contains these words
  --json FILE     also writes the results to this file
`;

const { values, positionals: names } = options();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
// Not the system's temporary folder, which may be in memory, where a sync does nothing.
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/trust-'));
// vitest gets the same signal and exits; then the folder is removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

const report = values.json ? ['--reporter=json', `--outputFile.json=${values.json}`] : [];
const program = join(root, 'node_modules/vitest/vitest.mjs');
const args = ['run', '--config', 'test/vitest.config.ts', '--project', 'trials', '--reporter=dot'];
const vitest = spawn(process.execPath, [program, ...args, ...report], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    TRIALS: names.join(','),
    TRIALS_SIZE: values.small ? 'small' : values.quick ? 'quick' : 'usual',
    TRIALS_ONLY: values.only,
    TRIALS_FOLDER: folder,
  },
});
vitest.once('exit', (code) => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.exit(code ?? 130);
});

function options() {
  const isSet = /** @type {const} */ ({ type: 'boolean', default: false });
  const text = /** @type {const} */ ({ type: 'string', default: '' });
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...{ quick: isSet, small: isSet, help: isSet },
        ...{ only: text, json: text },
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return process.exit(2);
  }
}
