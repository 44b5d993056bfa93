// Runs the tests of a file at the same time, for tests that mostly wait.

import { beforeAll, it } from 'vitest';

/**
 * A test that starts at the same time as the others of its file, after the hooks that
 * were registered before it. Its result is reported in its turn.
 */
export function together(behaviour: string, run: () => Promise<void>): void {
  let running: Promise<void>;
  beforeAll(() => {
    running = run();
    // The error is reported where the test is awaited, not as an unhandled rejection.
    running.catch(() => {});
  });
  it(behaviour, () => running);
}
