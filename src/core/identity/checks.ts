// Finds the account of a token. `identify` reads straight down: remembered (never longer than the
// token lives), joined to an identical check, limited if the token is unknown, then within 4 s the
// gate and the question at the provider's user-information endpoint.

import { type Log, silentLog } from '../log.js';
import { chain, type MaybePromise } from '../maybe-promise.js';
import { retryAfterMs } from '../retry-after.js';
import type { ServiceEvents } from '../service-events.js';
import { ThrottledLog } from '../throttled-log.js';
import { CheckedTokens } from './checked-tokens.js';
import { unverifiedExpiry } from './claims.js';
import { inTime } from './deadline.js';
import {
  type From,
  type Identity,
  type IdentityProvider,
  INVALID,
  UNAVAILABLE,
} from './identity-provider.js';
import type { JwtVerifier } from './jwt-verifier.js';
import type { Answer } from './send.js';
import { UnknownChecks } from './unknown-checks.js';
import type { Ask, Verdict } from './userinfo.js';

export interface ChecksOptions {
  /** Checks every token before the provider is asked. Default: none. */
  readonly gate?: JwtVerifier | undefined;
  readonly ask: Ask;
  readonly log?: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** How long a successful check is remembered; a refusal is for 2 s. Default: neither is. */
  readonly cacheSeconds?: number;
  /** Whether a request may wait for another's exchange. Default true; Workers without a durable object tie an exchange to one request. */
  readonly joined?: boolean;
  /** The most checks under way, whatever the token, on a host with few connections. Default: 64 of unknown tokens. */
  readonly checksAtOnce?: number | undefined;
  /** A token's hash, so that memory holds no usable token. Default: SHA-256 by WebCrypto. */
  readonly digest?: (token: string) => MaybePromise<string>;
  readonly events?: Pick<ServiceEvents, 'identityChecked' | 'identityShared'> | undefined;
}

const REFUSAL_LIFETIME_MS = 2_000;

/** A provider, or a proxy before it, that asked for a year would lock everybody out. */
const RETRY_AFTER_MAX_SECONDS = 60;

/** A check that has a question of its own. */
interface Check {
  readonly text: string;
  /** The token's hash. */
  readonly key: string;
  /** The start of the question, so that an answer is never trusted for too long. */
  readonly since: number;
}

export class Checks implements IdentityProvider {
  readonly #options: ChecksOptions;
  readonly #clock: () => number;
  readonly #reports: ThrottledLog;
  readonly #tokens = new CheckedTokens();
  readonly #underWay = new Map<string, Promise<Identity>>();
  readonly #unknown: UnknownChecks;
  /** When the provider may be asked again after a 503, in milliseconds since 1970, UTC. */
  #pausedUntil = 0;

  constructor(options: ChecksOptions) {
    const { log = silentLog, clock = Date.now } = options;
    this.#options = options;
    this.#clock = clock;
    this.#reports = new ThrottledLog(log, clock);
    this.#unknown = new UnknownChecks(clock, options.checksAtOnce);
  }

  identify(text: string, from?: From): MaybePromise<Identity> {
    const { digest = sha256, events, joined = true, checksAtOnce } = this.#options;
    return chain(digest(text), (key) => {
      const check = { text, key, since: this.#clock() };
      const remembered = this.#tokens.remembered(key, check.since);
      if (remembered !== undefined) {
        events?.identityShared('remembered');
        return remembered;
      }
      // A check that may not wait for another's end can't wait for a place, either.
      if (!joined) return this.#timed(check);
      const underWay = this.#underWay.get(key);
      if (underWay !== undefined) {
        events?.identityShared('joined');
        return underWay;
      }
      const isKnown = checksAtOnce === undefined && this.#tokens.isKnown(key);
      const identity = isKnown ? this.#timed(check) : this.#limited(check, from?.() ?? '');
      this.#underWay.set(key, identity);
      return identity.finally(() => this.#underWay.delete(key));
    });
  }

  async #limited(check: Check, address: string): Promise<Identity> {
    const startedAt = performance.now();
    if (!(await this.#unknown.acquire(address))) {
      this.#reports.report('identity_checks_full', {
        hint: 'too many unknown tokens wait for the identity provider; limit requests at the proxy, or set AUTH_CACHE_SECONDS',
      });
      this.#options.events?.identityChecked('unavailable', performance.now() - startedAt);
      return UNAVAILABLE;
    }
    return this.#timed(check).finally(() => this.#unknown.release());
  }

  async #timed(check: Check): Promise<Identity> {
    const startedAt = performance.now();
    const identity = await inTime(
      (signal) => this.#asked(check, signal),
      (reason) => this.#settled(check, { kind: 'unusable', fields: { reason } }),
    );
    this.#options.events?.identityChecked(identity.status, performance.now() - startedAt);
    return identity;
  }

  async #asked(check: Check, signal: AbortSignal): Promise<Identity> {
    const { gate, ask } = this.#options;
    const passed = await gate?.check(check.text);
    if (passed !== undefined && 'refused' in passed) {
      this.#reports.report('token_refused_before_asking', { reason: passed.refused });
      return this.#refused(check);
    }
    const left = Math.ceil((this.#pausedUntil - this.#clock()) / 1000);
    // More, if the clock was set back.
    if (left > 0 && left <= RETRY_AFTER_MAX_SECONDS) return pause(left);
    return this.#settled(check, await ask(check.text, signal, passed?.claims));
  }

  #settled(check: Check, verdict: Verdict): Identity {
    if (verdict.kind === 'unusable') {
      this.#reports.report('identity_provider_unavailable', verdict.fields);
      return verdict.busy === undefined ? UNAVAILABLE : this.#busy(verdict.busy);
    }
    if (verdict.kind === 'refused') {
      // An operator's mistake (no apikey, no scope) looks the same as a bad token.
      this.#reports.report('identity_provider_refused', verdict.fields);
      return this.#refused(check);
    }
    const { text, key, since } = check;
    const { subject, expiresAt = Infinity } = verdict;
    const { cacheSeconds = 0 } = this.#options;
    const tokenEnds = cacheSeconds === 0 ? Infinity : (unverifiedExpiry(text) ?? Infinity);
    const untilMs = Math.min(since + cacheSeconds * 1000, expiresAt, tokenEnds);
    return this.#tokens.add(key, { identity: { status: 'identified', subject }, since, untilMs });
  }

  #busy({ status, headers }: Answer): Identity {
    const asked = Math.ceil((retryAfterMs(headers, this.#clock()) ?? 0) / 1000);
    const seconds = Math.min(asked, RETRY_AFTER_MAX_SECONDS);
    if (seconds === 0) return UNAVAILABLE;
    // A 429 is about this token or its sender: anyone's junk would pause everybody.
    if (status === 503) this.#pausedUntil = this.#clock() + seconds * 1000;
    return pause(seconds);
  }

  #refused({ key, since }: Check): Identity {
    const ms = this.#options.cacheSeconds === undefined ? 0 : REFUSAL_LIFETIME_MS;
    return this.#tokens.add(key, { identity: INVALID, since, untilMs: since + ms });
  }
}

function pause(seconds: number): Identity {
  const reason = `the identity provider asks for a pause; try again in ${seconds} s`;
  return { status: 'unavailable', reason, retryAfterSeconds: seconds };
}

async function sha256(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
