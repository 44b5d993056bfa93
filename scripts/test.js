// `npm test`: the quick checks, the build, then all tests. With a part of a path
// (`npm test -- contract/list`) only those files, at once: what they use of dist/
// is built as they are loaded. `--host handler` runs the contract suite on that
// host alone, which is then made from the sources. Other arguments go to vitest.
// `npm run test:browser` runs the tests that need Chromium.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { quickChecks } from './quick.js';
import { makeInstalled, makeReady, root } from './setup.js';

/** On two quick, quiet cores. */
const USUAL = 'The tests usually take five minutes on two cores, longer on a busy machine.';

const { hosts, isBrowser, rest } = readArguments(process.argv.slice(2));
const isWhole = !isBrowser && hosts === '' && rest.every((argument) => argument.startsWith('-'));

if (isWhole) {
  if (!(await quickChecks())) process.exit(1);
  await makeReady('test', 'scripts/worker');
  process.stderr.write(`${USUAL}\n`);
} else if (isBrowser) {
  await makeReady('test', 'scripts/worker', 'test/browser');
} else {
  await makeInstalled('test', 'scripts/worker');
}
const config = isBrowser ? 'test/browser/vitest.config.ts' : 'test/vitest.config.ts';
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, ...rest],
  { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_HOSTS: hosts } },
);
process.exit(status ?? 1);

/** @param {readonly string[]} given */
function readArguments(given) {
  const at = given.findIndex((argument) => /^--host(=|$)/.test(argument));
  const [option = '', next = ''] = at === -1 ? [] : given.slice(at);
  const [, inline] = option.split('=');
  const left = at === -1 ? given : given.toSpliced(at, inline === undefined ? 2 : 1);
  return {
    hosts: inline ?? next,
    isBrowser: left.includes('--browser'),
    rest: left.filter((argument) => argument !== '--browser'),
  };
}
