// Sessions in memory, and a rate limit for sign-ins. A session's id is generated at sign-in and never
// taken from a browser, which prevents session fixation.

import { randomBytes } from 'node:crypto';

/** A session ends after this time without use. */
export const SESSION_IDLE_MAX_MS = 8 * 3_600_000;
const SECRET_BYTES = 32;
/** Sign-in attempts per minute, from all browsers together. */
const ATTEMPTS_PER_MINUTE_MAX = 5;
const MINUTE_MS = 60_000;

/** `now`: milliseconds of a monotonic clock. */
export class Sessions {
  /** The time of the last use by id. */
  readonly #usedAt = new Map<string, number>();
  #attempts: number[] = [];

  /** Returns the new session's id. */
  open(now = performance.now()): string {
    const id = randomBytes(SECRET_BYTES).toString('base64url');
    this.#usedAt.set(id, now);
    return id;
  }

  /** Whether the session exists and hasn't expired. Counts as use. */
  has(id = '', now = performance.now()): boolean {
    const isOpen = now - (this.#usedAt.get(id) ?? -Infinity) <= SESSION_IDLE_MAX_MS;
    if (isOpen) this.#usedAt.set(id, now);
    else this.close(id);
    return isOpen;
  }

  close(id: string): void {
    this.#usedAt.delete(id);
  }

  /** Counts an attempt and returns 0 if it is allowed; otherwise returns how long to wait, in milliseconds. */
  tryReserve(now = performance.now()): number {
    this.#attempts = this.#attempts.filter((at) => now - at < MINUTE_MS);
    const [oldest = now] = this.#attempts;
    if (this.#attempts.length >= ATTEMPTS_PER_MINUTE_MAX) return MINUTE_MS - (now - oldest);
    this.#attempts.push(now);
    return 0;
  }
}
