// Finds the account of a token. `identify` reads straight down: remembered (never longer than the
// token lives), joined to an identical check, or checked within 4 s: by the gate, then, in its turn if
// the token is unknown, by a question at the provider.

import { Admission } from '../admission/admission.js';
import { IDENTITY_CACHE_MAX_ENTRIES } from '../domain/limits.js';
import type { Log } from '../log.js';
import { type MaybePromise, thenMaybe } from '../maybe-promise.js';
import type { ServiceEvents } from '../service-events.js';
import { ThrottledLog } from '../throttled-log.js';
import { type Account, unverifiedExpiry } from './claims.js';
import { type Identity, type IdentityProvider, INVALID } from './identity-provider.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { inTime, ProviderError, reasonOf } from './send.js';
import type { Ask } from './userinfo.js';

/**
 * Checks of unknown tokens under way. A junk token costs a call to the provider like a good one: without
 * a bound, a flood of junk would leave users without answers.
 */
export const UNKNOWN_CHECKS_MAX = 64;
const REFUSAL_LIFETIME_MS = 2_000;

export interface ChecksOptions {
  /** Checks every token before the provider is asked. Default: none. */
  readonly gate?: JwtVerifier | undefined;
  readonly ask: Ask;
  /** How long a successful check is remembered; 0: not at all. A refusal is for 2 s. */
  readonly cacheSeconds: number;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** The most checks under way, whatever the token, on a host with few connections. Default: 64 of unknown tokens. */
  readonly checksAtOnce?: number | undefined;
  /** A token's hash, so that memory holds no usable token. Default: SHA-256 by WebCrypto. */
  readonly digest?: ((token: string) => MaybePromise<string>) | undefined;
  readonly events?: Pick<ServiceEvents, 'identityChecked' | 'identityShared'> | undefined;
}

/** The result of a token's last check. Milliseconds since 1970, UTC. */
interface Known {
  readonly identity: Identity;
  /** The start of the check, so that an answer is never trusted for too long. */
  readonly since: number;
  readonly untilMs: number;
}

export class Checks implements IdentityProvider {
  readonly #options: ChecksOptions;
  readonly #reports: ThrottledLog;
  /** Counts checks in place of bytes. Addresses that wait take turns. */
  readonly #places: Admission;
  /** Keyed by the token's hash. */
  readonly #underWay = new Map<string, Promise<Identity>>();
  /** Good the last time, expired or not; the one that was checked longest ago first. */
  readonly #good = new Map<string, Known>();
  /** Kept apart, so that made-up tokens do not push out good ones. */
  readonly #refused = new Map<string, Known>();

  constructor(options: ChecksOptions) {
    const { log, clock, checksAtOnce: most = UNKNOWN_CHECKS_MAX } = options;
    this.#options = options;
    this.#reports = new ThrottledLog(log, clock);
    this.#places = new Admission({ accountMaxBytes: most, totalMaxBytes: most, ownShareBytes: 0 });
  }

  identify(token: string, from?: () => string | undefined): MaybePromise<Identity> {
    const { digest = sha256, events, clock } = this.#options;
    return thenMaybe(digest(token), (key) => {
      const now = clock();
      const known = this.#good.get(key) ?? this.#refused.get(key);
      // Not before its start, either: then the clock was set back.
      if (known !== undefined && now >= known.since && now < known.untilMs) {
        events?.identityShared('remembered');
        return known.identity;
      }
      const underWay = this.#underWay.get(key);
      if (underWay !== undefined) {
        events?.identityShared('joined');
        return underWay;
      }
      const identity = this.#check(token, key, from?.() ?? '');
      this.#underWay.set(key, identity);
      return identity;
    });
  }

  async #check(token: string, key: string, address: string): Promise<Identity> {
    const startedAt = performance.now();
    const since = this.#options.clock();
    const identity = await inTime((signal) => this.#verdict(token, key, address, signal)).then(
      (verdict) => this.#decided(token, key, since, verdict),
      (error: unknown) => this.#undecided(error),
    );
    this.#underWay.delete(key);
    this.#options.events?.identityChecked(identity.status, performance.now() - startedAt);
    return identity;
  }

  /** Rejects if the token stays undecided. */
  async #verdict(token: string, key: string, address: string, signal: AbortSignal) {
    const { gate, ask, checksAtOnce } = this.#options;
    const passed = await gate?.(token);
    if (passed !== undefined && 'refused' in passed) {
      this.#reports.report('token_refused_before_asking', { reason: passed.refused });
      return passed;
    }
    const isKnown = checksAtOnce === undefined && this.#good.has(key);
    if (!isKnown) await this.#acquire(address, signal);
    const verdict = await ask(token, signal, passed?.claims);
    // An operator's mistake (no apikey, no scope) looks the same as a bad token.
    if ('refused' in verdict) this.#reports.report('identity_provider_refused', verdict.refused);
    return verdict;
  }

  /** Takes a place until the signal aborts. */
  async #acquire(address: string, signal: AbortSignal): Promise<void> {
    // The gate may have outlasted the check, and then nothing would give the place back.
    signal.throwIfAborted();
    await this.#places.acquire(address, 1, () => signal.aborted);
    signal.addEventListener('abort', () => this.#places.release(address, 1));
  }

  /** Remembers the verdict. */
  #decided(token: string, key: string, since: number, verdict: Account | { refused: unknown }) {
    this.#good.delete(key);
    this.#refused.delete(key);
    if ('refused' in verdict) {
      const untilMs = since + REFUSAL_LIFETIME_MS;
      return remember(this.#refused, key, { identity: INVALID, since, untilMs });
    }
    const { subject, expiresAt = Infinity } = verdict;
    const { cacheSeconds } = this.#options;
    const tokenEnds = cacheSeconds === 0 ? Infinity : (unverifiedExpiry(token) ?? Infinity);
    const untilMs = Math.min(since + cacheSeconds * 1000, expiresAt, tokenEnds);
    const identity: Identity = { status: 'identified', subject };
    return remember(this.#good, key, { identity, since, untilMs });
  }

  #undecided(error: unknown): Identity {
    this.#reports.report('identity_provider_unavailable', { reason: reasonOf(error) });
    const seconds = error instanceof ProviderError ? error.retryAfterSeconds : undefined;
    if (seconds === undefined) return { status: 'unavailable' };
    const reason = `the identity provider asks for a pause; try again in ${seconds} s`;
    return { status: 'unavailable', reason, retryAfterSeconds: seconds };
  }
}

/** Caches a token's identity. When the cache is full, the oldest entry is evicted. */
function remember(tokens: Map<string, Known>, key: string, known: Known): Identity {
  if (tokens.size >= IDENTITY_CACHE_MAX_ENTRIES) {
    const [oldest = ''] = tokens.keys();
    tokens.delete(oldest);
  }
  tokens.set(key, known);
  return known.identity;
}

async function sha256(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return String.fromCharCode(...new Uint8Array(hash));
}
