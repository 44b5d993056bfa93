// Limits concurrent work per key: an account can't take all connections, and changes of one record run
// one at a time within this process, so a PATCH rarely has to retry.

export class KeyedSemaphore {
  readonly #keys = new Map<string, { running: number; waiting: (() => void)[] }>();

  /** Runs `act` while at most `max` of the same key are running. */
  async run<T>(key: string, max: number, act: () => Promise<T>): Promise<T> {
    const held = this.#keys.get(key) ?? { running: 0, waiting: [] };
    this.#keys.set(key, held);
    if (held.running < max) held.running++;
    else await new Promise<void>((resolve) => held.waiting.push(resolve));
    try {
      return await act();
    } finally {
      // Pass the permit on.
      const next = held.waiting.shift();
      if (next !== undefined) next();
      else if (--held.running === 0) this.#keys.delete(key);
    }
  }
}
