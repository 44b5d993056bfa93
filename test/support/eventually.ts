// Waits for a condition, not for a fixed time. On Workers the operator's views
// follow the accounts within seconds.

import { vi } from 'vitest';

/**
 * Runs the check until it passes, which takes milliseconds to seconds, or a minute if a delivery
 * fails twice on a busy machine. Rejects with the check's last error.
 */
export function eventually<T>(check: () => Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 100_000, interval: 20 });
}
