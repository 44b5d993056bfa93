// Finds the account of a token: cached (never longer than the token lives), joined to a check of the same
// token, or checked within 4 s, first by its signature and then at the provider, where unknown tokens queue.

import { Admission } from '../admission/admission.js';
import { IDENTITY_CACHE_MAX_ENTRIES } from '../domain/limits.js';
import type { Log } from '../log.js';
import { type MaybePromise, thenMaybe } from '../maybe-promise.js';
import type { ServiceEvents } from '../service-events.js';
import { ThrottledLog } from '../throttled-log.js';
import { type Account, unverifiedExpiry } from './claims.js';
import { type Identity, type IdentityProvider, INVALID } from './identity-provider.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { ProviderError, reasonOf, withTimeout } from './send.js';
import type { CheckToken } from './userinfo.js';

/**
 * Concurrent checks of unknown tokens. A junk token costs a call to the provider like a good one, so a
 * flood of junk without this limit would leave users waiting.
 */
export const UNKNOWN_CHECKS_MAX = 64;
const REFUSAL_LIFETIME_MS = 2_000;

export interface TokenChecksOptions {
  /** Called before `checkToken`. Default: none. */
  readonly verifyJwt?: JwtVerifier | undefined;
  readonly checkToken: CheckToken;
  /** How long a successful check is cached; 0: not at all. A refusal is cached for 2 s. */
  readonly cacheSeconds: number;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** The maximum of concurrent checks, of any token, for a host with few connections. Default: 64 of unknown tokens. */
  readonly maxConcurrentChecks?: number | undefined;
  /** A token's hash, so that memory holds no usable token. Default: SHA-256 by WebCrypto. */
  readonly digest?: ((token: string) => MaybePromise<string>) | undefined;
  readonly events?: Pick<ServiceEvents, 'identityChecked' | 'identityShared'> | undefined;
}

/** The result of a token's last check. Milliseconds since 1970, UTC. */
interface CachedIdentity {
  readonly identity: Identity;
  /** The start of the check, so that a response is never trusted for too long. */
  readonly since: number;
  readonly untilMs: number;
}

export class TokenChecks implements IdentityProvider {
  readonly #options: TokenChecksOptions;
  readonly #reports: ThrottledLog;
  /** A semaphore that counts checks instead of bytes. Waiting addresses take turns. */
  readonly #slots: Admission;
  /** Keyed by the token's hash. */
  readonly #pending = new Map<string, Promise<Identity>>();
  /** Tokens that passed their last check, expired or not; the least recently checked first. */
  readonly #accepted = new Map<string, CachedIdentity>();
  /** A separate cache, so that made-up tokens do not evict accepted ones. */
  readonly #refused = new Map<string, CachedIdentity>();

  constructor(options: TokenChecksOptions) {
    const { log, clock, maxConcurrentChecks: most = UNKNOWN_CHECKS_MAX } = options;
    this.#options = options;
    this.#reports = new ThrottledLog(log, clock);
    this.#slots = new Admission({ accountMaxBytes: most, totalMaxBytes: most, ownShareBytes: 0 });
  }

  identify(token: string, from?: () => string | undefined): MaybePromise<Identity> {
    const { digest = sha256, events, clock } = this.#options;
    return thenMaybe(digest(token), (key) => {
      const now = clock();
      const cached = this.#accepted.get(key) ?? this.#refused.get(key);
      // If now is before its start, the clock was set back.
      if (cached !== undefined && now >= cached.since && now < cached.untilMs) {
        events?.identityShared('remembered');
        return cached.identity;
      }
      const pending = this.#pending.get(key);
      if (pending !== undefined) {
        events?.identityShared('joined');
        return pending;
      }
      const identity = this.#check(token, key, from?.() ?? '');
      this.#pending.set(key, identity);
      return identity;
    });
  }

  async #check(token: string, key: string, address: string): Promise<Identity> {
    const startedAt = performance.now();
    const since = this.#options.clock();
    const identity = await withTimeout((signal) => this.#verdict(token, key, address, signal)).then(
      (verdict) => this.#decided(token, key, since, verdict),
      (error: unknown) => this.#undecided(error),
    );
    this.#pending.delete(key);
    this.#options.events?.identityChecked(identity.status, performance.now() - startedAt);
    return identity;
  }

  /** Rejects if the token stays undecided. */
  async #verdict(token: string, key: string, address: string, signal: AbortSignal) {
    const { verifyJwt, checkToken, maxConcurrentChecks } = this.#options;
    const verified = await verifyJwt?.(token);
    if (verified !== undefined && 'refused' in verified) {
      this.#reports.report('token_refused_before_asking', { reason: verified.refused });
      return verified;
    }
    const isExempt = maxConcurrentChecks === undefined && this.#accepted.has(key);
    if (!isExempt) await this.#acquire(address, signal);
    const verdict = await checkToken(token, signal, verified?.claims);
    // An operator's mistake (no apikey, no scope) looks the same as a bad token.
    if ('refused' in verdict) this.#reports.report('identity_provider_refused', verdict.refused);
    return verdict;
  }

  /** Holds a slot until the signal aborts, as `withTimeout` does at the end of every check. */
  async #acquire(address: string, signal: AbortSignal): Promise<void> {
    // If the time ran out during `verifyJwt`, no abort event follows that would release the slot.
    signal.throwIfAborted();
    await this.#slots.acquire(address, 1, () => signal.aborted);
    signal.addEventListener('abort', () => this.#slots.release(address, 1));
  }

  /** Caches the verdict. */
  #decided(token: string, key: string, since: number, verdict: Account | { refused: unknown }) {
    this.#accepted.delete(key);
    this.#refused.delete(key);
    if ('refused' in verdict) {
      const untilMs = since + REFUSAL_LIFETIME_MS;
      return cache(this.#refused, key, { identity: INVALID, since, untilMs });
    }
    const { subject, expiresAt = Infinity } = verdict;
    const { cacheSeconds } = this.#options;
    const tokenEnds = cacheSeconds === 0 ? Infinity : (unverifiedExpiry(token) ?? Infinity);
    const untilMs = Math.min(since + cacheSeconds * 1000, expiresAt, tokenEnds);
    const identity: Identity = { status: 'identified', subject };
    return cache(this.#accepted, key, { identity, since, untilMs });
  }

  #undecided(error: unknown): Identity {
    this.#reports.report('identity_provider_unavailable', { reason: reasonOf(error) });
    const seconds = error instanceof ProviderError ? error.retryAfterSeconds : undefined;
    if (seconds === undefined) return { status: 'unavailable' };
    const reason = `the identity provider asks for a pause; try again in ${seconds} s`;
    return { status: 'unavailable', reason, retryAfterSeconds: seconds };
  }
}

/** When the cache is full, evicts the oldest entry. */
function cache(entries: Map<string, CachedIdentity>, key: string, entry: CachedIdentity): Identity {
  if (entries.size >= IDENTITY_CACHE_MAX_ENTRIES) {
    const [oldest = ''] = entries.keys();
    entries.delete(oldest);
  }
  entries.set(key, entry);
  return entry.identity;
}

async function sha256(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return String.fromCharCode(...new Uint8Array(hash));
}
