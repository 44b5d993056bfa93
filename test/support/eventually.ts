// Waiting for a condition, never for a fixed time: where accounts live apart,
// the operator's views follow them within seconds.

/** For a busy machine; a check that passes takes milliseconds to seconds. */
const PATIENCE_MS = 45_000;
const INTERVAL_MS = 20;

/** Runs the check until it passes; fails as it last failed when patience ends. */
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
