// How the tests run; `npm test` names this file.

import { defineConfig } from 'vitest/config';
import { buildOnDemand, fromSource } from './support/build-on-demand.js';

const isFromSource = process.env['TEST_HOSTS'] === 'handler';

/** With `npm run trust -- --small`: the small versions of the trials, and nothing else. */
const isSmall = Boolean(process.env['TRIALS_SMALL']);
const TESTS = isSmall ? 'test/trials/*.small.ts' : 'test/**/*.test.ts';
/** Files that replace a module for the whole process. */
const ALONE = ['test/node/threaded-work.test.ts'];
/** These have their own commands: npm run test:browser, compat and test:release. */
const OTHER_COMMANDS = ['test/browser/**', 'test/compat/**', 'test/release/**'];

/** Tests of what starts processes: the hosts, the commands, the preview. `npm run test:programs` runs them, and the contract on those hosts. */
const PROGRAMS = 'test/{build,console,data,examples,move,node,program,trials,worker}/**/*.test.ts';
/** `core` or `programs`, in a run of all tests of the group; empty if the command line names files. */
const group = process.env['TEST_GROUP'] ?? '';
const GROUPS: Readonly<Record<string, { include: string[]; exclude: string[] }>> = {
  '': { include: [TESTS], exclude: OTHER_COMMANDS },
  core: { include: [TESTS], exclude: [...OTHER_COMMANDS, PROGRAMS] },
  programs: { include: [PROGRAMS, 'test/contract/*.test.ts'], exclude: OTHER_COMMANDS },
};
const { include = [], exclude = [] } = GROUPS[group] ?? {};

export default defineConfig({
  plugins: [buildOnDemand(isFromSource), ...(isFromSource ? [fromSource()] : [])],
  root: new URL('..', import.meta.url).pathname,
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include,
          exclude: [...exclude, ...ALONE],
          // A worker loads each module once, for all files that it runs: half of the processor
          // time of a short file was loading what the file before it had loaded.
          isolate: false,
        },
      },
      ...(isSmall || group === 'core'
        ? []
        : [{ extends: true as const, test: { name: 'alone', include: ALONE } }]),
    ],
    // Processes and files are started for real; a busy machine makes them slow, not wrong.
    // The time-out ends a test that hangs; no test's verdict depends on it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 45_000 } },
    // Most of the time is waiting for time-outs and processes: more files at once than there are cores.
    maxWorkers: 4,
    // Tests of a file that wait for the same time-outs begin together.
    maxConcurrency: 30,
    // Imports of the package by its own name get the built files, as a user's would.
    server: { deps: { external: [/\/dist\//] } },
  },
});
