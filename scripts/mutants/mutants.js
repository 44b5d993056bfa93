// `npm run mutants -- src/domain`: changes the sources in one place at a time and
// runs the tests of that folder. A change that no test notices is a survivor:
// a gap in the tests, or a change that means the same. Prints a table of files
// and the survivors; test/MUTANTS.md has the reasons. `--one-in 10` tries a tenth
// of the changes, the same ones in every run. `--tests test/contract/list` takes
// other tests; `--survivors test/contract/` tries the survivors again with these, here the
// contract suite on the host from source.

import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeInstalled, root } from '../setup.js';

/** A mutant on which the tests take this much longer than usual counts as noticed. */
const TIMEOUT_MS = 30_000;
/** For the run without a mutant, on a busy machine. */
const FIRST_RUN_MAX_MINUTES = 30;
const NOTICED = new Set(['Killed', 'Timeout', 'RuntimeError']);

/** @typedef {import('@stryker-mutator/api/core').MutantResult} MutantResult */

const { paths, tests, survivorsTests, oneIn } = readArguments(process.argv.slice(2));
await makeInstalled('test', 'scripts/worker', 'scripts/mutants');
process.chdir(root);
process.env['TEST_HOSTS'] = 'handler';
process.env['MUTANTS_ONE_IN'] = oneIn;
const { Stryker } = await import('@stryker-mutator/core');
const first = await run(
  paths.map((path) => (isFolder(path) ? `${path}/**/*.ts` : path)),
  tests,
);
const tried = first.filter(({ status }) => status !== 'CompileError');
const later = survivorsTests.length > 0 ? await runSurvivors(tried) : new Set();
const judged = tried.map((mutant) =>
  later.has(keyOf(mutant)) ? { ...mutant, status: /** @type {const} */ ('Killed') } : mutant,
);
process.stdout.write(`\n${table(judged)}\n${survivors(judged)}`);

/**
 * Tries the mutants of some sources with some tests.
 * @param {string[]} mutate
 * @param {readonly string[]} testPaths
 */
function run(mutate, testPaths) {
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
    timeoutMS: TIMEOUT_MS,
    dryRunTimeoutMinutes: FIRST_RUN_MAX_MINUTES,
    concurrency: 2,
    reporters: ['progress-append-only'],
    ignorePatterns: ['dist', 'data'],
    tempDirName: 'node_modules/.cache/mutants',
    // Stryker would rewrite it with the compiler's programming interface, which TypeScript 7 has not.
    tsconfigFile: 'no-tsconfig.json',
  }).runMutationTest();
}

/** Tries the survivors again with other tests; resolves with the keys of those that are noticed. @param {readonly MutantResult[]} mutants */
async function runSurvivors(mutants) {
  const left = mutants.filter(({ status }) => !NOTICED.has(status));
  const places = new Set(
    left.map(({ fileName, location: { start, end } }) =>
      [relative(root, fileName), `${start.line}:${start.column}-${end.line}:${end.column}`].join(
        ':',
      ),
    ),
  );
  if (places.size === 0) return new Set();
  const again = await run([...places], survivorsTests);
  return new Set(again.filter(({ status }) => NOTICED.has(status)).map(keyOf));
}

/** @param {MutantResult} mutant */
function keyOf({ fileName, location, mutatorName, replacement }) {
  return JSON.stringify([nameOf(fileName), location, mutatorName, replacement]);
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
    },
  });
  const paths = positionals.length > 0 ? positionals : ['src/domain'];
  const rooms = paths.map((path) => `test/${path.split('/')[1]?.replace(/\.ts$/, '')}/`);
  const tests = values.tests.length > 0 ? values.tests : [...new Set(rooms)];
  return { paths, tests, survivorsTests: values.survivors, oneIn: values['one-in'] };
}

/** A path may end in a range of lines, such as `:10-20`. @param {string} path */
function isFolder(path) {
  return statSync(join(root, path.replace(/:\d.*$/, ''))).isDirectory();
}

/** @param {readonly MutantResult[]} mutants */
function table(mutants) {
  const files = [...new Set(mutants.map(({ fileName }) => fileName))].sort();
  const rows = files.map((file) => {
    const own = mutants.filter(({ fileName }) => fileName === file);
    const noticed = own.filter(({ status }) => NOTICED.has(status)).length;
    const share = Math.round((100 * noticed) / own.length);
    return `| \`${nameOf(file)}\` | ${own.length} | ${noticed} | ${share} % |`;
  });
  return ['| File | Mutants | Noticed | |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** @param {readonly MutantResult[]} mutants */
function survivors(mutants) {
  return mutants
    .filter(({ status }) => !NOTICED.has(status))
    .map(({ fileName, location, mutatorName, replacement, status }) => {
      const place = `${nameOf(fileName)}:${location.start.line}:${location.start.column}`;
      return `${place} ${status} ${mutatorName}: ${replacement?.replace(/\s+/g, ' ')}\n`;
    })
    .join('');
}

/** @param {string} file */
function nameOf(file) {
  return file.replace(root, '');
}
