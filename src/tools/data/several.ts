// Concurrent work on several things.

/** Enough to hide network latency. */
export const CONNECTIONS = 8;

/** Does the work on each, `atOnce` at a time. After a failure nothing more is started; rejects with the first one once the rest has ended. */
export async function several<T>(
  things: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  async function* untilFailure() {
    for await (const thing of things) {
      if (failures.length > 0) return;
      yield thing;
    }
  }
  const shared = untilFailure();
  const failed = (error: unknown) => void failures.push(error);
  const worker = async () => {
    for await (const thing of shared) await work(thing).catch(failed);
  };
  await Promise.all(Array.from({ length: atOnce }, () => worker().catch(failed)));
  if (failures.length > 0) throw failures[0];
}
