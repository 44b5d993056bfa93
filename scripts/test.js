// `npm test` and its variants: they make the clone ready and run vitest.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { quickChecks } from './quick.js';
import { makeInstalled, makeReady, root } from './setup.js';

const HELP = `npm test -- [PATH ...] [options]

npm run check            everything that a change needs: npm test, then npm run test:programs
npm test                 the quick checks, then the tests of the core, engines and clients
npm run test:programs    the tests that start processes, and the contract on the other hosts
npm test -- PATH         the test files with this text in their path, from both groups
npm run test:browser     the tests that need Chromium
npm run test:release     a release: made, unpacked, run

  --host NAME,NAME   the contract on these hosts: handler, server, postgres, worker
  -t "next id"       the tests with this text in their name; it and other options go to vitest
`;

/** The packages of each command; the first two groups of tests share a configuration. @type {Readonly<Record<string, string[]>>} */
const PACKAGES = {
  core: ['scripts/worker'],
  programs: ['scripts/worker', 'test/openapi'],
  browser: ['scripts/worker', 'test/browser'],
  release: [],
};
const given = process.argv.slice(2);
if (given.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const OURS = ['--programs', '--browser', '--release', '--all'];
const named = OURS.find((option) => given.includes(option))?.slice(2) ?? 'core';
const groups = named === 'all' ? ['core', 'programs'] : [named];
const { hosts, rest } = withoutHosts(given.filter((argument) => !OURS.includes(argument)));
/** Whether files or hosts are selected from both groups. */
const isPart = hosts !== '' || rest.some((argument) => !argument.startsWith('-'));

if (!isPart && groups.includes('core') && !(await quickChecks())) process.exit(1);
for (const group of groups) {
  const isMain = group === 'core' || group === 'programs';
  // The tests of one layer need no build; what needs it builds it.
  const prepare = isMain && isPart ? makeInstalled : makeReady;
  await prepare('test', ...(PACKAGES[group] ?? []));
  const config = isMain ? 'test/vitest.config.ts' : `test/${group}/vitest.config.ts`;
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', config, ...rest], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_GROUP: isPart ? '' : group, TEST_HOSTS: hosts },
  });
  if (status !== 0) process.exitCode = status ?? 1;
}

/** Takes `--host NAME` and `--host=NAME` out of the arguments. @param {readonly string[]} args */
function withoutHosts(args) {
  const at = args.findIndex((argument) => /^--host(=|$)/.test(argument));
  if (at === -1) return { hosts: '', rest: args };
  const [, inline] = args[at]?.split('=') ?? [];
  const rest = args.toSpliced(at, inline === undefined ? 2 : 1);
  return { hosts: inline ?? args[at + 1] ?? '', rest };
}
