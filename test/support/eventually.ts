// Waits for a condition, not for a fixed time. On Workers the operator's views
// follow the accounts within seconds.

/** For a busy machine; a check that passes takes milliseconds to seconds. */
const PATIENCE_MS = 45_000;
const INTERVAL_MS = 20;

/** Runs the check until it passes. Rejects with the check's last error when the time is over. */
export async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
