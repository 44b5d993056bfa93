// All accounts share one thread. Requests begin, and long work goes on, in slices of
// about two milliseconds, one slice an event-loop turn in all. The accounts that wait
// for a slice take turns.

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
 * stands still while a request computes: no slice ends.
 */
export function noTurns(): Turns {
  return new Turns({ sliceMs: Number.POSITIVE_INFINITY });
}

export interface TurnsOptions {
  /** Default: `nextTask`. */
  readonly pause?: Pause;
  /** Milliseconds from any start, never going back. Default: `performance.now`. */
  readonly stopwatch?: () => number;
  /** Default: 2. */
  readonly sliceMs?: number;
}

/** What waits for a turn: the beginning of a request, or a piece of long work. */
interface Waiting {
  readonly kind: 'beginning' | 'piece';
  readonly resolve: () => void;
}

export class Turns {
  readonly #pause: Pause;
  readonly #stopwatch: () => number;
  readonly #sliceMs: number;
  /** By account, each oldest first; the account that is served next is the first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #serving = false;
  /** When the slice of this event-loop turn began. */
  #begun: number | undefined;

  constructor({
    pause = nextTask,
    stopwatch = () => performance.now(),
    sliceMs = SLICE_MS,
  }: TurnsOptions = {}) {
    this.#pause = pause;
    this.#stopwatch = stopwatch;
    this.#sliceMs = sliceMs;
  }

  /** Whether this event-loop turn has had its slice. To be asked before each step of long work. */
  get isOver(): boolean {
    if (this.#sliceMs === Number.POSITIVE_INFINITY) return false;
    const now = this.#stopwatch();
    if (this.#begun === undefined) this.#begin(now);
    return now - (this.#begun ?? now) >= this.#sliceMs;
  }

  /** Resolves when a request of the account may begin; undefined when it may begin at once. */
  begin(account: string): Promise<void> | undefined {
    return this.isOver ? this.#queued(account, 'beginning') : undefined;
  }

  /** Resolves at the start of a slice in which the account may do a piece of long work. */
  next(account: string): Promise<void> {
    return this.#queued(account, 'piece');
  }

  /** How many pieces of long work wait for their turn; requests that are about to begin are not among them. */
  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#waiting.values())
      for (const { kind } of queue) if (kind === 'piece') waiting++;
    return waiting;
  }

  /** A slice for work that takes no turns with others, from now on. Tells whether it is over. */
  ownSlice(): () => boolean {
    const begun = this.#stopwatch();
    return () => this.#stopwatch() - begun >= this.#sliceMs;
  }

  /** Resolves in the next event-loop turn. */
  pause(): Promise<void> {
    return this.#pause();
  }

  #queued(account: string, kind: Waiting['kind']): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(account);
      if (queue === undefined) this.#waiting.set(account, [{ kind, resolve }]);
      else queue.push({ kind, resolve });
      if (!this.#serving) void this.#serve();
    });
  }

  /** In each slice as many beginnings as fit, up to the first piece of long work. */
  async #serve(): Promise<void> {
    this.#serving = true;
    for (;;) {
      await this.#pause();
      if (this.#waiting.size === 0) break;
      this.#begin(this.#stopwatch());
      let served: Waiting['kind'] | undefined;
      do {
        served = this.#serveNext();
        // The request begins, so that its time counts.
        await undefined;
      } while (served === 'beginning' && !this.isOver);
    }
    this.#serving = false;
  }

  #serveNext(): Waiting['kind'] | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [account, queue] = first;
    // To the end of the rotation, where more of this account's work waits.
    this.#waiting.delete(account);
    const waiting = queue.shift();
    if (queue.length > 0) this.#waiting.set(account, queue);
    waiting?.resolve();
    return waiting?.kind;
  }

  #begin(now: number): void {
    this.#begun = now;
    void this.#pause().then(() => {
      if (this.#begun === now) this.#begun = undefined;
    });
  }
}
