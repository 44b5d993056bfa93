// Tests of mutants: what a test starts (threads, processes, Workers) is part of the
// test. The mutant that is tried is tried there, too; and in the run without a mutant,
// the mutants that are reached there count as reached by each test of the file.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, inject, type RunnerTask, type RunnerTestSuite } from 'vitest';
import { ACTIVE, SEEN } from './environment-names.js';
import { passOnToForks } from './pass-on-to-forks.js';

/** Until the lines of a Worker that has ended are read. */
const LAST_LINES_MS = 300;
/** So often a mutant may be hit in a loop: not counted here. */
const MANY_HITS = 1e9;

interface Coverage {
  readonly static: Record<string, number>;
  readonly perTest: Record<string, Record<string, number>>;
}

interface Stryker {
  activeMutant?: string | undefined;
  mutantCoverage?: Coverage | undefined;
}

/** Stryker provides both. */
declare module 'vitest' {
  interface ProvidedContext {
    activeMutant: string | undefined;
    mode: string;
  }
}

const globals = globalThis as { __stryker__?: Stryker };
globals.__stryker__ ??= {};
const stryker = globals.__stryker__;

const mutant = inject('activeMutant');
const isFirstRun = inject('mode') === 'dry-run';
delete process.env[ACTIVE];
if (!isFirstRun && mutant !== undefined) process.env[ACTIVE] = mutant;

if (process.env['MUTANTS_BUNDLES']) {
  // Built programs are processes of Node: each of them begins with this file.
  const elsewhere = pathToFileURL(join(import.meta.dirname, 'seen-elsewhere.js')).href;
  process.env['NODE_OPTIONS'] = `--import ${elsewhere}`;
  passOnToForks();
  if (isFirstRun) noteWhatIsSeen();
  // From the loading of the modules on, since not each of the tests is asked about.
  else stryker.activeMutant = mutant;
}

function noteWhatIsSeen(): void {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-seen-'));
  const path = join(folder, 'seen');
  writeFileSync(path, '');
  // A program may give up the superuser's rights.
  chmodSync(folder, 0o755);
  chmodSync(path, 0o666);
  process.env[SEEN] = path;
  // Before Stryker reads the coverage, and after the tests have closed what they started.
  // biome-ignore lint/correctness/noEmptyPattern: vitest asks for this form
  afterAll(async ({}, file) => {
    await sleep(LAST_LINES_MS);
    const { mutantCoverage } = stryker;
    const seen = new Set(readFileSync(path, 'utf8').split('\n').filter(Boolean));
    rmSync(folder, { recursive: true, force: true });
    const here = [mutantCoverage?.static ?? {}, ...Object.values(mutantCoverage?.perTest ?? {})];
    for (const id of here.flatMap((hits) => Object.keys(hits))) seen.add(id);
    const hits = Object.fromEntries([...seen].map((id) => [id, MANY_HITS]));
    const perTest = Object.fromEntries(testNames(file).map((name) => [name, hits]));
    stryker.mutantCoverage = { static: {}, perTest };
  });
}

/** As Stryker names the tests of a file. */
function testNames(file: Readonly<RunnerTestSuite>, names: readonly string[] = []): string[] {
  return file.tasks.flatMap((task: RunnerTask) =>
    task.type === 'suite'
      ? testNames(task, [...names, task.name])
      : [`${task.file.filepath}#${[...names, task.name].join(' ').trim()}`],
  );
}
