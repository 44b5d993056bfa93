// `npm run mutants -- src/core/domain`: changes the sources in one place at a time and
// runs the tests of that folder. A change that no test notices is a survivor:
// a gap in the tests, or a change that means the same. Prints a table of files
// and the survivors. test/README.md has the options.

import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeInstalled, root } from '../setup.js';
import { hasTimedOut, isNoticed, report } from './report.js';
import { testsOf } from './rooms.js';

/** A mutant on which the tests take this much longer than usual is tried again, alone. */
const TIMEOUT_MS = 12_000;
/** Tests of Workers wait for a change to arrive, and end that by themselves. */
const BUNDLES_TIMEOUT_MS = 40_000;
const BUNDLES_PATIENCE_MS = 15_000;
const SECOND_TIMEOUT_MS = 60_000;
/** For the run without a mutant, on a busy machine. */
const FIRST_RUN_MAX_MINUTES = 30;

/** @typedef {import('@stryker-mutator/api/core').MutantResult} MutantResult */
/** @typedef {{ timeoutMS: number, concurrency: number }} Pace */

const { paths, tests, survivorsTests, oneIn, sample, atOnce, bundles } = readArguments(
  process.argv.slice(2),
);
await makeInstalled('test', 'scripts/worker', 'scripts/mutants');
process.chdir(root);
process.env['TEST_HOSTS'] ??= bundles ? 'handler,worker' : 'handler';
process.env['MUTANTS_ONE_IN'] = oneIn;
process.env['MUTANTS_SAMPLE'] = sample;
process.env['MUTANTS_BUNDLES'] = bundles ? 'yes' : '';
process.env['TEST_PATIENCE_MS'] = String(BUNDLES_PATIENCE_MS);
const { Stryker } = await import('@stryker-mutator/core');
const timeoutMS = bundles ? BUNDLES_TIMEOUT_MS : TIMEOUT_MS;
const PACE = { timeoutMS, concurrency: Number(atOnce) };
const found = await run(
  paths.map((path) => (isFolder(path) ? `${path}/**/*.ts` : path)),
  tests,
  PACE,
);
let tried = found.filter(({ status }) => status !== 'CompileError');
// Also before more is tried, which may take long.
process.stdout.write(`\n${report(tried, root)}`);
// A busy machine is slow: only a mutant that is too slow alone, too, hangs.
tried = await again(tried, hasTimedOut, tests, { timeoutMS: SECOND_TIMEOUT_MS, concurrency: 1 });
if (survivorsTests.length > 0) {
  tried = await again(tried, (mutant) => !isNoticed(mutant), survivorsTests, PACE);
}
process.stdout.write(`\n${report(tried, root)}`);

/**
 * Tries the mutants of some sources with some tests.
 * @param {string[]} mutate
 * @param {readonly string[]} testPaths
 * @param {Pace} pace
 */
function run(mutate, testPaths, pace) {
  process.env['MUTANT_TESTS'] = testPaths
    .map((path) => `${path}**/*.test.ts,${path}*.test.ts`)
    .join();
  return new Stryker({
    mutate,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', join(root, 'scripts/mutants/sample.js')],
    ...(oneIn !== '1' && { checkers: ['sample'] }),
    vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    ...pace,
    dryRunTimeoutMinutes: FIRST_RUN_MAX_MINUTES,
    reporters: ['progress-append-only'],
    ignorePatterns: ['/dist', '/data'],
    // Not below node_modules: the tests build nothing for a file that lies there.
    tempDirName: 'data/mutants',
    // Stryker would rewrite it with the compiler's programming interface, which TypeScript 7 has not.
    tsconfigFile: 'no-tsconfig.json',
  }).runMutationTest();
}

/**
 * Tries some of the mutants again; resolves with all of them, those with their new results.
 * @param {readonly MutantResult[]} mutants
 * @param {(mutant: MutantResult) => boolean} isMeant
 * @param {readonly string[]} testPaths
 * @param {Pace} pace
 */
async function again(mutants, isMeant, testPaths, pace) {
  const meant = mutants.filter(isMeant);
  if (meant.length === 0) return [...mutants];
  const places = new Set(meant.map(rangeOf));
  const results = new Map(
    (await run([...places], testPaths, pace)).map((mutant) => [keyOf(mutant), mutant]),
  );
  return mutants.map((mutant) =>
    isMeant(mutant) ? (results.get(keyOf(mutant)) ?? mutant) : mutant,
  );
}

/** The place of a mutant as Stryker takes it: there columns begin at 0, in its results at 1. @param {MutantResult} mutant */
function rangeOf({ fileName, location: { start, end } }) {
  const range = `${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
  return `${relative(root, fileName)}:${range}`;
}

/** @param {MutantResult} mutant */
function keyOf({ fileName, location, mutatorName, replacement }) {
  return JSON.stringify([fileName.replace(root, ''), location, mutatorName, replacement]);
}

/** @param {readonly string[]} given */
function readArguments(given) {
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      tests: { type: 'string', multiple: true, default: [] },
      survivors: { type: 'string', multiple: true, default: [] },
      'one-in': { type: 'string', default: '1' },
      sample: { type: 'string', default: '0' },
      'at-once': { type: 'string', default: '2' },
      bundles: { type: 'boolean', default: false },
    },
  });
  const paths = positionals.length > 0 ? positionals : ['src/core/domain'];
  const tests = values.tests.length > 0 ? values.tests : [...new Set(paths.map(testsOf))];
  return {
    paths,
    tests,
    survivorsTests: values.survivors,
    oneIn: values['one-in'],
    sample: values.sample,
    atOnce: values['at-once'],
    bundles: values.bundles,
  };
}

/** A path may end in a range of lines, such as `:10-20`. @param {string} path */
function isFolder(path) {
  return statSync(join(root, path.replace(/:\d.*$/, ''))).isDirectory();
}
