// Who is signed in: sessions in memory, and a limit on attempts. A session's id is made at the
// sign-in and never taken from a browser, which prevents session fixation.

import { randomBytes } from 'node:crypto';

/** A session ends after this time without use. */
export const SESSION_IDLE_MAX_MS = 8 * 3_600_000;
const SECRET_BYTES = 32;
/** Attempts with a password or code within a minute, from all browsers together. */
const TRIES_PER_MINUTE_MAX = 5;
const MINUTE_MS = 60_000;

/** `now`: milliseconds of a monotonic clock. */
export class Sessions {
  /** The time of the last use by id. */
  readonly #usedAt = new Map<string, number>();
  #tries: number[] = [];

  /** Returns the new session's id. */
  open(now = performance.now()): string {
    const id = randomBytes(SECRET_BYTES).toString('base64url');
    this.#usedAt.set(id, now);
    return id;
  }

  /** Whether the session exists, and wasn't idle too long. Counts as use. */
  has(id = '', now = performance.now()): boolean {
    const isOpen = now - (this.#usedAt.get(id) ?? -Infinity) <= SESSION_IDLE_MAX_MS;
    if (isOpen) this.#usedAt.set(id, now);
    else this.close(id);
    return isOpen;
  }

  close(id: string): void {
    this.#usedAt.delete(id);
  }

  /** 0 if an attempt is allowed; otherwise how long to wait, in milliseconds. Concurrent ones count. */
  tryReserve(now = performance.now()): number {
    this.#tries = this.#tries.filter((at) => now - at < MINUTE_MS);
    const [oldest = now] = this.#tries;
    if (this.#tries.length >= TRIES_PER_MINUTE_MAX) return MINUTE_MS - (now - oldest);
    this.#tries.push(now);
    return 0;
  }
}
