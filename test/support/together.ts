// Tests that mostly wait, waiting at the same time.

import { beforeAll, it } from 'vitest';

/**
 * A test that starts with all the others of its file, once the hooks registered
 * before it are done, and is awaited in its turn.
 */
export function together(behaviour: string, run: () => Promise<void>): void {
  let running: Promise<void>;
  beforeAll(() => {
    running = run();
    // Reported where it is awaited, not before.
    running.catch(() => {});
  });
  it(behaviour, () => running);
}
