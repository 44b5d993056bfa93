// Who is signed in: sessions in memory, and a limit on attempts. A session's id is made at the
// sign-in and never taken from a browser, which prevents session fixation.

/** A session ends after this time without use. */
export const SESSION_IDLE_MAX_MS = 8 * 3_600_000;
/** For several operators and browsers; the least recently used session ends first. */
const SESSIONS_MAX = 50;
const SECRET_BYTES = 32;
/** Attempts with a password or code within a minute, from all browsers together. */
const TRIES_PER_MINUTE_MAX = 5;
const MINUTE_MS = 60_000;

export class Sessions {
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number;
  readonly #randomBytes: (size: number) => Uint8Array;
  /** The time of the last use by id, least recently used first. */
  readonly #sessions = new Map<string, number>();

  constructor(now: () => number, randomBytes: (size: number) => Uint8Array) {
    this.#now = now;
    this.#randomBytes = randomBytes;
  }

  /** Returns the new session's id. */
  begin(): string {
    const id = Buffer.from(this.#randomBytes(SECRET_BYTES)).toString('base64url');
    this.#use(id);
    const [oldest = ''] = this.#sessions.keys();
    if (this.#sessions.size > SESSIONS_MAX) this.end(oldest);
    return id;
  }

  /** Whether the session exists, and wasn't idle too long. Counts as use. */
  has(id = ''): boolean {
    const usedAt = this.#sessions.get(id);
    if (usedAt === undefined) return false;
    const isOver = this.#now() - usedAt > SESSION_IDLE_MAX_MS;
    if (isOver) this.end(id);
    else this.#use(id);
    return !isOver;
  }

  end(id: string): void {
    this.#sessions.delete(id);
  }

  #use(id: string): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, this.#now());
  }
}

/** Counts attempts as they begin, so that concurrent ones count. */
export class Tries {
  readonly #now: () => number;
  #begun: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** 0 if the attempt is allowed; otherwise how long to wait, in milliseconds. */
  begin(): number {
    const now = this.#now();
    this.#begun = this.#begun.filter((at) => now - at < MINUTE_MS);
    const [oldest = now] = this.#begun;
    if (this.#begun.length >= TRIES_PER_MINUTE_MAX) return MINUTE_MS - (now - oldest);
    this.#begun.push(now);
    return 0;
  }
}
