// `npm test` and the commands beside it: they make the clone ready and run vitest.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quickChecks } from './quick.js';
import { makeInstalled, makeReady, root } from './setup.js';

const HELP = `npm test -- [PATH ...] [options]

npm test                 the quick checks, then the tests of core, engines and clients
npm run test:programs    the tests of what starts processes, and the contract on the other hosts
npm test -- PATH         the test files with that text in their path, of both
npm run test:browser     the tests that need Chromium
npm run test:release     a release: made, unpacked, run

  --host NAME,NAME   the contract on these hosts: handler, server, postgres, worker
  --times            the files that took the most processor time, after the tests
  -t "next id"       the tests with that text in their name; this and other options go to vitest
`;

/** Rows of the table of `--times`. */
const TIMES_SHOWN = 30;

/** Groups of tests with a command of their own, and the packages that they need besides the tests'. @type {Readonly<Record<string, string[]>>} */
const OTHERS = { browser: ['scripts/worker', 'test/browser'], release: [] };

/** Options of this script; the others go to vitest. */
const OURS = new Set(['--browser', '--release', '--programs', '--times']);

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const { hosts, other, group, showsTimes, rest } = readArguments(process.argv.slice(2));
const isWhole =
  other === undefined && hosts === '' && rest.every((argument) => argument.startsWith('-'));

if (isWhole) {
  if (group === 'core' && !(await quickChecks())) process.exit(1);
  await makeReady('test', 'scripts/worker');
} else if (other !== undefined) {
  await makeReady('test', ...(OTHERS[other] ?? []));
} else {
  await makeInstalled('test', 'scripts/worker');
}
const config = other === undefined ? 'test/vitest.config.ts' : `test/${other}/vitest.config.ts`;
const folder = showsTimes ? mkdtempSync(join(tmpdir(), 'test-times-')) : '';
const times = folder && join(folder, 'times.ndjson');
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, ...rest],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_GROUP: isWhole ? group : '',
      TEST_HOSTS: hosts,
      TEST_TIMES: times,
    },
  },
);
if (times) printTimes(times);
if (folder) rmSync(folder, { recursive: true });
process.exit(status ?? 1);

/** @param {readonly string[]} given */
function readArguments(given) {
  const at = given.findIndex((argument) => /^--host(=|$)/.test(argument));
  const [option = '', next = ''] = at === -1 ? [] : given.slice(at);
  const [, inline] = option.split('=');
  const left = at === -1 ? given : given.toSpliced(at, inline === undefined ? 2 : 1);
  return {
    hosts: inline ?? next,
    other: Object.keys(OTHERS).find((name) => left.includes(`--${name}`)),
    group: left.includes('--programs') ? 'programs' : 'core',
    showsTimes: left.includes('--times'),
    rest: left.filter((argument) => !OURS.has(argument)),
  };
}

/** @param {string} file one JSON line for each test file, of test/support/processor-times.ts */
function printTimes(file) {
  if (!existsSync(file)) return;
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((row) => ({ ...row, all: row.own + row.children }))
    .sort((a, b) => b.all - a.all);
  const total = rows.reduce((sum, { all }) => sum + all, 0);
  process.stderr.write(`\n${total.toFixed(0)} s of processor time in ${rows.length} files:\n`);
  for (const { all, children, file: name } of rows.slice(0, TIMES_SHOWN)) {
    process.stderr.write(
      `${all.toFixed(1).padStart(7)} s, ${children.toFixed(1)} s of it in processes: ${name}\n`,
    );
  }
}
