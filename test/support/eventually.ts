// Waits for a condition, not for a fixed time.

import { vi } from 'vitest';

/** Runs the check until it passes. Rejects with the check's last error after 100 s. */
export const eventually = <T>(check: () => Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 100_000, interval: 20 });
