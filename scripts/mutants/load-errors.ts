// Tests of mutants: a file of tests that cannot be loaded fails the run, as it does
// in `npm test`. Stryker by itself looks at tests alone, and such a file has none.

import type { Reporter, TestModule, Vitest } from 'vitest/node';

export class LoadErrors implements Reporter {
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
