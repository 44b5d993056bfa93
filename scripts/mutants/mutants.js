// `npm run mutants -- src/core/domain`: changes the sources in one place at a time and
// runs the tests of that folder. A change that no test notices is a survivor:
// a gap in the tests, or a change that means the same.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../root.js';

/** A mutant with which the tests take this much longer than usual counts as timed out. */
const PACE_MS = 60_000;
/** For the run without a mutant, on a busy machine. */
const FIRST_RUN_MAX_MINUTES = 30;
/** Folders of tests whose name differs from the folder of src. @type {Readonly<Record<string, string>>} */
const TEST_FOLDERS = { workers: 'worker', manage: 'program' };

const HELP = `npm run mutants -- [PATH ...] [options]

Changes the sources below each PATH (src/core/domain by default) in one place at a time, runs the
tests of that folder, and prints how many were noticed, and each that was not. A file may end in a
range of lines, such as src/core/http/path.ts:60-95.

  --tests PATH      runs these tests instead; may be repeated
  --one-in N        tries one change in N, chosen by a hash of its position
  --sample K        which of these N samples to try, counting from 0
  --at-once N       changes that are tried at the same time, 2 by default
`;

/** @typedef {import('@stryker-mutator/api/core').MutantResult} MutantResult */

const { paths, tests, oneIn, sample, atOnce } = readArguments(process.argv.slice(2));
process.chdir(root);
process.env['MUTANTS_ONE_IN'] = oneIn;
process.env['MUTANTS_SAMPLE'] = sample;
const { Stryker } = await import('@stryker-mutator/core');
process.env['MUTANT_TESTS'] = tests.map((path) => `${path}**/*.test.ts,${path}*.test.ts`).join();
const found = await new Stryker({
  mutate: paths.map((path) => (isFolder(path) ? `${path}/**/*.ts` : path)),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', join(root, 'scripts/mutants/sample.js')],
  ...(oneIn !== '1' && { checkers: ['sample'] }),
  vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  timeoutMS: PACE_MS,
  concurrency: Number(atOnce),
  dryRunTimeoutMinutes: FIRST_RUN_MAX_MINUTES,
  reporters: ['progress-append-only'],
  ignorePatterns: ['/dist', '/data'],
  // Not below node_modules: the tests build nothing for a file that lies there.
  tempDirName: 'data/mutants',
  // Stryker would rewrite it with the compiler's programming interface, which TypeScript 7 lacks.
  tsconfigFile: 'no-tsconfig.json',
}).runMutationTest();
const tried = found.filter(({ status }) => status !== 'CompileError');
process.stdout.write(`\n${report(tried)}`);

/** Whether the tests notice the mutant. @param {MutantResult} mutant */
function isNoticed({ status }) {
  return status === 'Killed' || status === 'Timeout' || status === 'RuntimeError';
}

/** Whether the clock alone ended the tests. A loop that never ends is found by counting its rounds. @param {MutantResult} mutant */
function hasTimedOut({ status, statusReason }) {
  return status === 'Timeout' && !statusReason?.startsWith('Hit limit reached');
}

/** How many were noticed, and the rest. @param {readonly MutantResult[]} mutants */
function report(mutants) {
  const places = mutants
    .filter((mutant) => !isNoticed(mutant) || hasTimedOut(mutant))
    .map(({ fileName, location: { start }, status, mutatorName, replacement }) => {
      const place = `${fileName.replace(root, '')}:${start.line}:${start.column}`;
      return `${place} ${status} ${mutatorName}: ${replacement?.replace(/\s+/g, ' ')}`;
    });
  const noticed = mutants.filter(isNoticed).length;
  const byTime = mutants.filter(hasTimedOut).length;
  return `${noticed} of ${mutants.length} noticed, ${byTime} of them by time alone\n${places.join('\n')}\n`;
}

/** Ends the process if an argument is invalid. @param {string[]} args */
function readArguments(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        tests: { type: 'string', multiple: true, default: [] },
        'one-in': { type: 'string', default: '1' },
        sample: { type: 'string', default: '0' },
        'at-once': { type: 'string', default: '2' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const paths = positionals.length > 0 ? positionals : ['src/core/domain'];
    return {
      paths,
      tests: values.tests.length > 0 ? values.tests : [...new Set(paths.map(testsOf))],
      oneIn: values['one-in'],
      sample: values.sample,
      atOnce: values['at-once'],
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return process.exit(2);
  }
}

/** The folder of the tests of a file or folder of `src`: `test/http/` for `src/core/http/path.ts`. @param {string} path */
function testsOf(path) {
  const [, layer = '', room = ''] = path.replace(/:\d.*$/, '').split('/');
  const places = [`${layer}/${room}`, TEST_FOLDERS[room] ?? room, layer];
  const found = places.find((place) => place !== '' && existsSync(join(root, 'test', place)));
  if (found === undefined) throw new Error(`${path} has no folder of tests; name one with --tests`);
  return `test/${found.replace(/\/$/, '')}/`;
}

/** A path may end in a range of lines, such as `:10-20`. @param {string} path */
function isFolder(path) {
  return statSync(join(root, path.replace(/:\d.*$/, ''))).isDirectory();
}
