// How all tests run: one project for each kind, chosen with `--project`. package.json has the commands.

import { fileURLToPath } from 'node:url';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';

/** Longer than the longest trial, so that a trial's own limits decide. */
const TRIAL_TIMEOUT_MS = 14 * 60 * 60 * 1_000;
/** Compilers, frameworks and browsers on a busy machine. */
const OTHER_PROGRAMS_TIMEOUT_MS = 30 * 60 * 1_000;

const project = (name: string, include: string[], more: UserWorkspaceConfig['test'] = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});

/** The contract suite on one host; `inject('host')` is its name in test/support/hosts.ts. */
const onHost = (host: 'handler' | 'server' | 'worker' | 'postgres') =>
  project(`contract-${host}`, ['test/contract/*.test.ts'], {
    // Storage refuses a write only through the port, or by a trigger of Postgres.
    exclude: ['server', 'worker'].includes(host) ? ['**/storage-failure.test.ts'] : [],
    provide: { host },
  });

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    projects: [
      project('house', ['test/{house,pages}/*.test.ts']),
      project('core', [
        'test/{admission,bench,client,domain,http,identity,openapi,operations,records,storage}/**/*.test.ts',
      ]),
      project('programs', [
        'test/{build,console,data,dump,examples,node,program,trials,worker}/**/*.test.ts',
      ]),
      ...(['handler', 'server', 'worker', 'postgres'] as const).map(onHost),
      // Swagger UI draws its operations in 1 to 2 minutes on two busy cores.
      project('browser', ['test/browser/*.test.ts'], { testTimeout: 300_000 }),
      project('release', ['test/release/*.test.ts'], {
        // Makes the release: fetches Node and compresses it.
        globalSetup: ['test/release/made-release.ts'],
      }),
      project('compat', ['test/compat/*.test.ts'], {
        testTimeout: OTHER_PROGRAMS_TIMEOUT_MS,
        hookTimeout: OTHER_PROGRAMS_TIMEOUT_MS,
      }),
      project('trials', ['test/trials/*.trial.ts'], { testTimeout: TRIAL_TIMEOUT_MS }),
    ],
    provide: { host: 'handler' },
    // A worker loads each module once, for all files that it runs: half of the processor
    // time of a short file was loading what the file before it had loaded.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    // Processes and files are started for real; a busy machine makes them slow, not wrong.
    // The time-out ends a test that hangs; no test's verdict depends on it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    // Most of the time is waiting for time-outs and processes: more files at once than there are cores.
    maxWorkers: 4,
    // Tests of a file that wait for the same time-outs start together.
    maxConcurrency: 30,
    // Imports of the package by its own name get the built files, as a user's would.
    server: { deps: { external: [/\/dist\//] } },
  },
});
