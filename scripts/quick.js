// `npm run quick`: all the quick checks at once, without a build: types,
// lint and formatting, house rules, facts of the pages. `npm test` and
// `npm run check` begin with it.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithHelp } from './help.js';
import { makeInstalled, root } from './setup.js';

const HELP = `npm run quick

Checks what needs no build: types, lint and formatting, house rules, facts of the pages. Takes some
seconds; npm test and npm run check begin with it. Takes no arguments.
`;
/** Tests that only read files; parts of their paths. */
const QUICK_TESTS = ['test/house/', 'test/pages/'];
/** @type {readonly (readonly [what: string, ...command: string[]])[]} */
const CHECKS = [
  ['Types', ...typesOf('tsconfig.json')],
  // Without Node's types: the core uses nothing that a browser or a Worker lacks.
  ['Types of the core', ...typesOf('src/tsconfig.core.json')],
  ['Lint and formatting', '@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  [
    'House rules and facts of the pages',
    'vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.ts',
    '--reporter=default',
    ...QUICK_TESTS,
  ],
];

/**
 * The command that checks types. It is incremental: only files that changed and those that
 * import them are checked again.
 * @param {string} project
 * @returns {string[]}
 */
function typesOf(project) {
  const kept = join(
    root,
    'node_modules/.cache/types',
    `${project.replaceAll('/', '-')}.tsbuildinfo`,
  );
  const options = ['--incremental', '--tsBuildInfoFile', kept];
  return ['typescript/bin/tsc', '--project', project, ...options];
}

/** Runs the checks; prints what failed, and resolves with whether all passed. */
export async function quickChecks() {
  await makeInstalled('test', 'scripts/worker', 'test/browser');
  const results = await Promise.all(CHECKS.map(run));
  const failed = results.filter(({ passed }) => !passed);
  for (const { what, output } of failed) process.stderr.write(`\n== ${what}\n\n${output.trim()}\n`);
  const outcome =
    failed.length === 0 ? 'pass' : `failed: ${failed.map(({ what }) => what).join(', ')}`;
  process.stderr.write(`Types, lint, house rules, pages: ${outcome}\n`);
  return failed.length === 0;
}

/** @param {readonly [string, ...string[]]} check */
async function run([what, tool = '', ...args]) {
  const child = spawn(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, QUICK_CHECKS: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { what, passed: code === 0, output };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  endWithHelp(HELP);
  if (!(await quickChecks())) process.exitCode = 1;
}
