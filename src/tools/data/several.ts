// Work on several things at the same time.

/** Does the work on each, `atOnce` at the same time. After a failure nothing more is begun; rejects with the first one when everything has ended. */
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
  const worker = async () => {
    for (;;) {
      const { done, value } = await shared.next();
      if (done) return;
      await work(value).catch((error: unknown) => failures.push(error));
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const ended = ends.find((end) => end.status === 'rejected');
  if (failures.length > 0 || ended !== undefined) throw failures[0] ?? ended?.reason;
}
