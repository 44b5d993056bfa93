// Concurrent work on a sequence, with a limit.

/** Enough to hide network latency. */
export const CONNECTIONS = 8;

/**
 * Calls `work` for each item, `concurrency` at a time. After a failure nothing more is started;
 * rejects with the first one once the rest has ended.
 */
export async function mapConcurrent<T>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  async function* untilFailure() {
    for await (const item of items) {
      if (failures.length > 0) return;
      yield item;
    }
  }
  const shared = untilFailure();
  const failed = (error: unknown) => void failures.push(error);
  const worker = async () => {
    for await (const item of shared) await work(item).catch(failed);
  };
  await Promise.all(Array.from({ length: concurrency }, () => worker().catch(failed)));
  if (failures.length > 0) throw failures[0];
}
