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

export interface Session {
  readonly id: string;
  /** Every form of the session carries it. */
  readonly formToken: string;
}

export class Sessions {
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number;
  readonly #randomBytes: (size: number) => Uint8Array;
  /** By id, least recently used first, with the time of the last use. */
  readonly #sessions = new Map<string, readonly [session: Session, usedAt: number]>();

  constructor(now: () => number, randomBytes: (size: number) => Uint8Array) {
    this.#now = now;
    this.#randomBytes = randomBytes;
  }

  begin(): Session {
    const [id = '', formToken = ''] = [0, 1].map(() =>
      Buffer.from(this.#randomBytes(SECRET_BYTES)).toString('base64url'),
    );
    const session = { id, formToken };
    this.#use(session);
    const [oldest = ''] = this.#sessions.keys();
    if (this.#sessions.size > SESSIONS_MAX) this.end(oldest);
    return session;
  }

  /** Undefined if there is none, or it was idle too long. A page that reloads itself doesn't count as use (`isUse` false). */
  find(id: string | undefined, isUse = true): Session | undefined {
    const [session, usedAt = 0] = this.#sessions.get(id ?? '') ?? [];
    if (session === undefined) return undefined;
    const isOver = this.#now() - usedAt > SESSION_IDLE_MAX_MS;
    if (isOver) this.end(session.id);
    else if (isUse) this.#use(session);
    return isOver ? undefined : session;
  }

  end(id: string): void {
    this.#sessions.delete(id);
  }

  #use(session: Session): void {
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, [session, this.#now()]);
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
