// Waits for a condition, not for a fixed time. On Workers the operator's views
// follow the accounts within seconds.

import { vi } from 'vitest';

/**
 * Runs the check until it passes, which takes milliseconds to seconds. Rejects with its last error
 * when a busy machine has had time, too.
 */
export function eventually<T>(check: () => Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 45_000, interval: 20 });
}
