// Waits for a condition, not for a fixed time. On Workers the operator's views
// follow the accounts within seconds.

import { vi } from 'vitest';

/** For a busy machine; a check that passes takes milliseconds to seconds. */
const PATIENCE = { timeout: 45_000, interval: 20 };

/** Runs the check until it passes. Rejects with the check's last error when the time is over. */
export function eventually<T>(check: () => Promise<T>): Promise<T> {
  return vi.waitFor(check, PATIENCE);
}
