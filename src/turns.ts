// Long work shares the thread with everyone's short requests: it is done in
// slices of about two milliseconds, one slice an event-loop turn in all, and
// the accounts that wait for a slice take turns.

/** Resolves after the host has served the requests that wait, for example `setImmediate` on Node. */
export type Pause = () => Promise<void>;

/** `setImmediate`, or a timer on a host without it. */
export function nextTask(): Promise<void> {
  const { setImmediate = setTimeout } = globalThis as { setImmediate?: (task: () => void) => void };
  return new Promise((resolve) => void setImmediate(resolve));
}

const SLICE_MS = 2;

/**
 * For a host on which one request must not wait for another, and on which time
 * stands still while a request computes: a slice that never ends.
 */
export function noTurns(): Turns {
  return new Turns({ stopwatch: () => 0 });
}

export interface TurnsOptions {
  /** Default: `nextTask`. */
  readonly pause?: Pause;
  /** Milliseconds from any start, never going back. Default: `performance.now`. */
  readonly stopwatch?: () => number;
}

export class Turns {
  readonly #pause: Pause;
  readonly #stopwatch: () => number;
  /** By account, each oldest first; the account that is served next is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #serving = false;
  /** When long work began in this event-loop turn. */
  #begun: number | undefined;

  constructor({ pause = nextTask, stopwatch = () => performance.now() }: TurnsOptions = {}) {
    this.#pause = pause;
    this.#stopwatch = stopwatch;
  }

  /** Whether this event-loop turn has had its slice of long work. To be asked before each step of such work. */
  get isOver(): boolean {
    if (this.#begun === undefined) this.#begin();
    return this.#stopwatch() - (this.#begun ?? 0) >= SLICE_MS;
  }

  /** Resolves at the start of a slice that is the account's own. */
  next(account: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(account);
      if (queue === undefined) this.#waiting.set(account, [resolve]);
      else queue.push(resolve);
      if (!this.#serving) void this.#serve();
    });
  }

  /** How many pieces of long work wait for their turn. */
  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#waiting.values()) waiting += queue.length;
    return waiting;
  }

  /** A slice for work that takes no turns with others, from now on. Tells whether it is over. */
  ownSlice(): () => boolean {
    const begun = this.#stopwatch();
    return () => this.#stopwatch() - begun >= SLICE_MS;
  }

  /** Resolves in the next event-loop turn. */
  pause(): Promise<void> {
    return this.#pause();
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    for (;;) {
      await this.#pause();
      const [first] = this.#waiting;
      if (first === undefined) break;
      const [account, queue] = first;
      // To the end of the rotation, where more of this account's work waits.
      this.#waiting.delete(account);
      const resolve = queue.shift();
      if (queue.length > 0) this.#waiting.set(account, queue);
      this.#begin();
      resolve?.();
    }
    this.#serving = false;
  }

  #begin(): void {
    const begun = this.#stopwatch();
    this.#begun = begun;
    void this.#pause().then(() => {
      if (this.#begun === begun) this.#begun = undefined;
    });
  }
}
