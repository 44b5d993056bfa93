// Concurrent calls over a sequence.

/** Enough to hide network latency. */
export const CONNECTIONS = 8;

/**
 * Calls `work` for each item, `concurrency` at a time. After an error starts nothing more, and rejects
 * with it once the calls in progress have ended.
 */
export async function mapConcurrent<T>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  async function* untilError() {
    for await (const item of items) {
      if (errors.length > 0) return;
      yield item;
    }
  }
  const shared = untilError();
  const failed = (error: unknown) => void errors.push(error);
  const worker = async () => {
    for await (const item of shared) await work(item).catch(failed);
  };
  await Promise.all(Array.from({ length: concurrency }, () => worker().catch(failed)));
  if (errors.length > 0) throw errors[0];
}
