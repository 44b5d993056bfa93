// Finds the account of a token. `identify` reads straight down: remembered (never longer than the
// token lives), joined to an identical check, limited, then within 4 s the gate, the pause that the
// provider asks for, the question at its user-information endpoint.

import { FairQueue } from '../admission/fair-queue.js';
import { IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { type Log, silentLog } from '../log.js';
import { chain, type MaybePromise } from '../maybe-promise.js';
import type { ServiceEvents } from '../service-events.js';
import { ThrottledLog } from '../throttled-log.js';
import { CheckedTokens } from './checked-tokens.js';
import { expiryOf, unverifiedExpiry } from './claims.js';
import { DocumentError } from './documents.js';
import { type Ask, type Exchange, inTime, TIME_IS_OVER } from './exchange.js';
import {
  type From,
  type Identity,
  type IdentityProvider,
  INVALID,
  UNAVAILABLE,
} from './identity-provider.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { Pauses } from './pauses.js';
import { challengeError, errorCode, mediaType, memberNames } from './provider-words.js';
import { networkReason } from './send.js';

export interface ChecksOptions {
  /** Checks every token before the provider is asked. Default: none. */
  readonly gate?: JwtVerifier | undefined;
  readonly ask: Ask;
  /** What the log calls the place of the subject. Default `sub`. */
  readonly subjectField?: string;
  readonly log?: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** How long a successful check is remembered; a refusal is for 2 s. Default: neither is. */
  readonly cacheSeconds?: number;
  /** Whether a request may wait for another's exchange. Default true; Workers tie an exchange to one request. */
  readonly joined?: boolean;
  /** Checks under way of tokens that were good the last time, and of unknown tokens. Default: 192 and 64. */
  readonly checksAtOnce?: { readonly known: number; readonly unknown: number } | undefined;
  /** A token's hash, so that memory holds no usable token. Default: SHA-256 by WebCrypto. */
  readonly digest?: (token: string) => MaybePromise<string>;
  readonly events?: Pick<ServiceEvents, 'identityChecked' | 'identityShared'> | undefined;
}

const REFUSAL_LIFETIME_MS = 2_000;

/** A check that has a question of its own. */
interface Check {
  readonly text: string;
  /** The token's hash. */
  readonly key: string;
  /** The start of the question, so that an answer is never trusted for too long. */
  readonly since: number;
  /** The account that the token was good for the last time. */
  readonly account: string | undefined;
  /** Whose turn it takes: the account, or the client's address. */
  readonly sender: string;
}

export class Checks implements IdentityProvider {
  readonly #options: ChecksOptions;
  readonly #log: Log;
  readonly #clock: () => number;
  readonly #reports: ThrottledLog;
  readonly #tokens = new CheckedTokens();
  readonly #pauses = new Pauses();
  readonly #underWay = new Map<string, Promise<Identity>>();
  readonly #known: Places;
  readonly #unknown: Places;
  /** Whether the log's last word on the provider is that it is unavailable. */
  #isSaidAway = false;

  constructor(options: ChecksOptions) {
    const { log = silentLog, clock = Date.now, joined = true } = options;
    const { known = KNOWN_CHECKS_MAX, unknown = UNKNOWN_CHECKS_MAX } = options.checksAtOnce ?? {};
    this.#options = options;
    this.#log = log;
    this.#clock = clock;
    this.#reports = new ThrottledLog(log, clock);
    // If a check may not wait for another one's end, a bound would refuse a burst of one
    // account's first requests.
    this.#known = new Places(joined ? known : Infinity, clock);
    this.#unknown = new Places(joined ? unknown : Infinity, clock);
  }

  identify(text: string, from?: From): MaybePromise<Identity> {
    const { digest = sha256, events, joined = true } = this.#options;
    return chain(digest(text), (key) => {
      const since = this.#clock();
      const remembered = this.#tokens.remembered(key, since);
      if (remembered !== undefined) {
        events?.identityShared('remembered');
        return remembered;
      }
      const underWay = joined ? this.#underWay.get(key) : undefined;
      if (underWay !== undefined) {
        events?.identityShared('joined');
        return underWay;
      }
      const account = this.#tokens.accountOf(key);
      const sender = account ?? from?.() ?? '';
      const identity = this.#limited({ text, key, since, account, sender });
      if (!joined) return identity;
      this.#underWay.set(key, identity);
      return identity.finally(() => this.#underWay.delete(key));
    });
  }

  async #limited(check: Check): Promise<Identity> {
    const places = check.account === undefined ? this.#unknown : this.#known;
    if (!(await places.enter(check.sender))) return UNAVAILABLE;
    const startedAt = performance.now();
    const identity = await inTime(
      (signal) => this.#asked(check, signal),
      (error, isOver) => {
        const reason = error instanceof DocumentError ? error.message : networkReason(error);
        return this.#unusable({ reason: isOver ? TIME_IS_OVER : reason });
      },
    );
    places.leave();
    this.#options.events?.identityChecked(identity.status, performance.now() - startedAt);
    return identity;
  }

  async #asked(check: Check, signal: AbortSignal): Promise<Identity> {
    const { text, key, account, sender } = check;
    const { gate, ask } = this.#options;
    const passed = await gate?.check(text, signal);
    if (passed !== undefined && 'refused' in passed) {
      this.#reports.report('token_refused_before_asking', { reason: passed.refused });
      return this.#refused(check);
    }
    // The account of an unknown token is unknown, too: all of these from its sender wait.
    const from = `from ${sender}`;
    const [of, who] = account === undefined ? [from, from] : [`token ${key}`, `account ${account}`];
    const left = this.#pauses.secondsLeft(of, this.#clock());
    if (left !== undefined) return pause(left);
    const exchange = await ask(text, signal, passed?.claims);
    const identity = this.#answered(check, exchange);
    const seconds = this.#pauses.note(exchange, of, who, this.#clock());
    return seconds === undefined ? identity : pause(seconds);
  }

  #answered(check: Check, { status, headers, verdict }: Exchange): Identity {
    const { text } = check;
    if (verdict.kind === 'identified') {
      return this.#identified(check, verdict.subject, verdict.answer);
    }
    const type = mediaType(headers.get('content-type'), text);
    // Logged if it is not the type that was asked for: the HTML of a proxy, a signed answer.
    const content = type === null || type === 'application/json' ? {} : { content_type: type };
    if (verdict.kind === 'unusable') {
      const { reason, answer } = verdict;
      const members = memberNames(answer, text);
      const field = this.#options.subjectField ?? 'sub';
      return this.#unusable({ reason, ...content, ...(members !== null && { field, members }) });
    }
    this.#isBack();
    // An operator's mistake (no apikey, no scope) looks the same, so the log repeats the
    // provider's reason.
    const reason =
      errorCode(verdict.answer, text) ?? challengeError(headers.get('www-authenticate'));
    this.#reports.report('identity_provider_refused', { status, reason, ...content });
    return this.#refused(check);
  }

  #identified({ text, key, since }: Check, subject: string, answer: unknown): Identity {
    const { cacheSeconds = 0 } = this.#options;
    this.#isBack();
    const ends = cacheSeconds === 0 ? [] : [expiryOf(answer), unverifiedExpiry(text)];
    const untilMs = Math.min(since + cacheSeconds * 1000, ...ends.map((end) => end ?? Infinity));
    return this.#tokens.good(key, subject, { since, untilMs });
  }

  #refused({ key, since }: Check): Identity {
    const ms = this.#options.cacheSeconds === undefined ? 0 : REFUSAL_LIFETIME_MS;
    this.#tokens.refused(key, { since, untilMs: since + ms });
    return INVALID;
  }

  #unusable(fields: Readonly<Record<string, string>>): Identity {
    if (this.#reports.report('identity_provider_unavailable', fields)) this.#isSaidAway = true;
    return UNAVAILABLE;
  }

  #isBack(): void {
    if (this.#isSaidAway) this.#log.info('identity_provider_available');
    this.#isSaidAway = false;
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

/** Checks under way of tokens that were good the last time. */
export const KNOWN_CHECKS_MAX = 192;
/** Checks under way of unknown tokens, which may be junk. */
export const UNKNOWN_CHECKS_MAX = 64;
/** Waiting checks of one sender; one more is answered `unavailable`. */
export const WAITING_CHECKS_MAX = 1_000;

/**
 * Places for checks under way; senders who wait for one take turns. A junk token costs a call to
 * the provider like a good one: without a bound, a flood of junk would leave users without answers.
 */
class Places {
  #free: number;
  readonly #clock: () => number;
  readonly #waiting = new FairQueue<{ since: number; begin: (turn: boolean) => void }>(
    ({ since }) => Math.abs(this.#clock() - since) >= IDENTITY_PROVIDER_TIMEOUT_MS,
    ({ begin }) => begin(false),
  );

  constructor(max: number, clock: () => number) {
    this.#free = max;
    this.#clock = clock;
  }

  /** Whether the check may begin, and must `leave`: not after a wait of 4 s, nor if too many of its sender wait. */
  async enter(sender: string): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (this.#waiting.waitingOf(sender) >= WAITING_CHECKS_MAX) return false;
    return new Promise((begin) => this.#waiting.add(sender, { since: this.#clock(), begin }));
  }

  leave(): void {
    this.#waiting.dropGone();
    const next = this.#waiting.take();
    if (next === undefined) this.#free++;
    else next.begin(true);
  }
}
