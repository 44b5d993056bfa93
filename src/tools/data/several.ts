// Work on several things at the same time.

/** Does the work on each, `atOnce` at the same time. After a failure nothing more is begun; rejects with the first one when everything has ended. */
export async function several<T>(
  things: readonly T[],
  atOnce: number,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const worker = async () => {
    while (next < things.length && failures.length === 0) {
      const thing = things[next++] as T;
      await work(thing).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
