// Long scans share the thread with everyone's short requests: they work in
// slices and wait for a turn between them, one slice an event-loop turn in all,
// however many scans are under way.

import type { Eventually } from '../eventually.js';

/** Resolves after the host has served what is waiting, for example `setImmediate` on Node. */
export type Pause = () => Promise<void>;

/** `setImmediate`, or a timer where there is none: it waits a millisecond at least, longer than a scan works between two pauses. */
export function nextTask(): Promise<void> {
  const { setImmediate = setTimeout } = globalThis as { setImmediate?: (task: () => void) => void };
  return new Promise((resolve) => void setImmediate(resolve));
}

/** About two milliseconds of scanning on the slowest machine this is meant for. */
const SLICE_CHARACTERS = 2_000_000;
/** What looking at a record costs besides its text, in characters. */
const RECORD_OVERHEAD_CHARACTERS = 100;

export class Turns {
  readonly #pause: Pause;
  #last: Promise<void> = Promise.resolve();

  constructor(pause: Pause) {
    this.#pause = pause;
  }

  /** A scan that works as long as `spend` says it may, then waits for `next`. */
  scan(): Scan {
    return new Scan(() => this.next());
  }

  /** Does work that stops where others may have a turn; at once where it never stops. */
  take<T>(work: Generator<void, T>): Eventually<T> {
    const { done, value } = work.next();
    return done ? value : this.#rest(work);
  }

  async #rest<T>(work: Generator<void, T>): Promise<T> {
    for (;;) {
      await this.next();
      const { done, value } = work.next();
      if (done) return value;
    }
  }

  /** Resolves in an event-loop turn in which no other work that waited for its turn has begun. */
  next(): Promise<void> {
    this.#last = this.#last.then(this.#pause);
    return this.#last;
  }
}

export class Scan {
  readonly next: () => Promise<void>;
  #spent = 0;

  constructor(next: () => Promise<void>) {
    this.next = next;
  }

  /** Accounts for the texts of so many records. True: the slice is used up, wait for `next` before going on. */
  spend(textCharacters: number, records = 1): boolean {
    this.#spent += textCharacters + records * RECORD_OVERHEAD_CHARACTERS;
    if (this.#spent < SLICE_CHARACTERS) return false;
    this.#spent = 0;
    return true;
  }
}
