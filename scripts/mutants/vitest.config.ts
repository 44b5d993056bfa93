// How the tests run against mutants: those that work on sources alone, the contract suite on the
// host from source among them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { fromSource } from './from-source.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Tests that start a built program, which has no mutant in it. */
const STARTS_BUILT =
  /(support\/(program|server-process|node-service|worker-host|data-command|restoration)|maintained-worker)\.js'/;
const LEFT_OUT = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
  .filter((path) => STARTS_BUILT.test(readFileSync(join(ROOT, path), 'utf8')));

/** A file of tests that cannot be loaded fails the run. Stryker only looks at tests, and such a file has none. */
class LoadErrors implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestModuleEnd(module: TestModule): void {
    for (const { message } of module.errors()) {
      this.#vitest?.state.catchError(new Error(message), 'Unhandled Error');
    }
  }
}

export default defineConfig({
  plugins: [fromSource()],
  root: ROOT,
  test: {
    include: (process.env['MUTANT_TESTS'] ?? '').split(','),
    exclude: LEFT_OUT,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    provide: { host: 'handler' },
    setupFiles: ['test/support/shared-services.ts'],
    reporters: [new LoadErrors()],
  },
});
