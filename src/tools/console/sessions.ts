// Who is signed in: sessions in memory, and a bound on tries. A session's id is
// made at the sign-in and never taken from a browser, so it cannot be fixed before.

/** A session ends after this time without use. */
export const SESSION_IDLE_MAX_MS = 8 * 3_600_000;
/** More than one operator has browsers; the session that was used least lately ends first. */
const SESSIONS_MAX = 50;
const SECRET_BYTES = 32;
/** Tries of a password or code within a minute, from all browsers together. */
export const TRIES_PER_MINUTE_MAX = 5;
const MINUTE_MS = 60_000;

export interface SessionOptions {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface Session {
  readonly id: string;
  /** Every form of the session carries it. */
  readonly formToken: string;
}

export class Sessions {
  readonly #options: SessionOptions;
  /** In the order of their last use. */
  readonly #sessions = new Map<string, { readonly session: Session; readonly usedAt: number }>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  begin(): Session {
    const session = { id: this.#secret(), formToken: this.#secret() };
    this.#use(session);
    for (const id of this.#sessions.keys()) {
      if (this.#sessions.size <= SESSIONS_MAX) break;
      this.#sessions.delete(id);
    }
    return session;
  }

  /**
   * Undefined where there is no such session, or nobody used it for too long. A page
   * that loads itself again is no use (`isUse` false): a forgotten one ends, too.
   */
  find(id: string | undefined, isUse = true): Session | undefined {
    const found = id === undefined ? undefined : this.#sessions.get(id);
    if (found === undefined) return undefined;
    if (this.#options.now() - found.usedAt > SESSION_IDLE_MAX_MS) {
      this.#sessions.delete(found.session.id);
      return undefined;
    }
    if (isUse) this.#use(found.session);
    return found.session;
  }

  end(id: string): void {
    this.#sessions.delete(id);
  }

  #use(session: Session): void {
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, { session, usedAt: this.#options.now() });
  }

  #secret(): string {
    return Buffer.from(this.#options.randomBytes(SECRET_BYTES)).toString('base64url');
  }
}

/** Counts tries as they begin, so that tries at once are not one try. */
export class Tries {
  readonly #now: () => number;
  #begun: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** 0 where the try may be made; otherwise how long to wait, in milliseconds. */
  begin(): number {
    const now = this.#now();
    this.#begun = this.#begun.filter((at) => now - at < MINUTE_MS);
    const [oldest = now] = this.#begun;
    if (this.#begun.length >= TRIES_PER_MINUTE_MAX) return MINUTE_MS - (now - oldest);
    this.#begun.push(now);
    return 0;
  }
}
