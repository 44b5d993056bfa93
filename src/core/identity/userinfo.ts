// Finds the account of a token: first the gate, if there is one, then the provider's
// user-information endpoint, within 4 seconds together.

import { type Log, silentLog } from '../log.js';
import { retryAfterMs } from '../retry-after.js';
import { ThrottledLog } from '../throttled-log.js';
import {
  AUDIENCE_HINT,
  type Identity,
  type IdentityProvider,
  INVALID,
  UNAVAILABLE,
} from './identity-provider.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { challengeError, errorCode, mediaType, memberNames } from './provider-words.js';
import { timedCheck } from './timed-check.js';
import { expiryOf, showsAudience } from './token-claims.js';
import { type EndpointOptions, type Exchange, UserinfoEndpoint } from './userinfo-endpoint.js';

export interface UserinfoOptions extends EndpointOptions {
  readonly log?: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** Checks every token before the provider is asked. Default: none. */
  readonly gate?: JwtVerifier;
}

/**
 * A longer time is cut to this: a provider, or a proxy before it, that asked for a
 * year would lock everybody out.
 */
const RETRY_AFTER_MAX_SECONDS = 60;

/** So many tokens are searched for an audience; if none of them has one, later tokens are not searched. */
const AUDIENCE_LOOKS_MAX = 100;

/**
 * One check for each call, 4 s in all, the body included. While the provider asks not
 * to be called (`Retry-After`), nothing is sent. Throws a TypeError for a
 * `subjectField` that can match nothing.
 */
export function userinfoIdentity(options: UserinfoOptions): IdentityProvider {
  return new UserinfoIdentity(options);
}

class UserinfoIdentity implements IdentityProvider {
  readonly #endpoint: UserinfoEndpoint;
  readonly #gate: JwtVerifier | undefined;
  readonly #clock: () => number;
  readonly #reports: ThrottledLog;
  /** Where the subject is looked for, as the operator wrote it. */
  readonly #field: string;
  #audienceLooks: number;
  #heldBack: { readonly since: number; readonly untilMs: number } | undefined;

  constructor(options: UserinfoOptions) {
    this.#endpoint = new UserinfoEndpoint(options);
    this.#gate = options.gate;
    this.#clock = options.clock ?? Date.now;
    this.#reports = new ThrottledLog(options.log ?? silentLog, this.#clock);
    this.#field = options.subjectField ?? 'sub';
    this.#audienceLooks = options.gate === undefined ? AUDIENCE_LOOKS_MAX : 0;
  }

  identify(token: string): Promise<Identity> {
    return timedCheck(
      (signal) => this.#identify(token, signal),
      (reason) => this.#unusable({ reason }),
    );
  }

  async #identify(token: string, signal: AbortSignal): Promise<Identity> {
    const passed = await this.#gate?.check(token, signal);
    if (passed?.kind === 'unavailable') throw passed.error;
    if (passed?.kind === 'refused') {
      this.#reports.warn('token_refused_before_asking', { reason: passed.reason });
      return INVALID;
    }
    const held = this.#heldBackSeconds();
    if (held !== undefined) return heldBack(held);
    return this.#identityOf(await this.#endpoint.ask(token, signal), token);
  }

  #identityOf(exchange: Exchange, token: string): Identity {
    const { response, verdict } = exchange;
    if (verdict.kind === 'identified') {
      this.#lookForAudience(token);
      const expiresAt = expiryOf(verdict.answer);
      const { subject } = verdict;
      return { status: 'identified', subject, ...(expiresAt !== undefined && { expiresAt }) };
    }
    const type = mediaType(response.headers.get('content-type'), token);
    // Logged only if it is not the type that was asked for, such as the HTML of a proxy or a signed
    // answer.
    const content = type === null || type === 'application/json' ? {} : { content_type: type };
    if (verdict.kind === 'refused') {
      // An operator's mistake (no apikey, no scope) looks the same, so the log repeats the
      // provider's reason.
      const reason =
        errorCode(verdict.answer, token) ??
        challengeError(response.headers.get('www-authenticate'));
      const { status } = response;
      this.#reports.warn('identity_provider_refused', { status, reason, ...content });
      return INVALID;
    }
    const seconds = this.#holdBack(response);
    const members = memberNames(verdict.answer, token);
    const sought = members === null ? {} : { field: this.#field, members };
    const unusable = this.#unusable({ reason: verdict.reason, ...content, ...sought });
    return seconds === undefined ? unusable : heldBack(seconds);
  }

  #unusable(fields: Readonly<Record<string, string>> & { readonly reason: string }): Identity {
    this.#reports.warn('identity_provider_unavailable', fields);
    return UNAVAILABLE;
  }

  /** Warns once if tokens name an audience and no gate checks it. */
  #lookForAudience(token: string): void {
    if (this.#audienceLooks === 0) return;
    this.#audienceLooks--;
    if (!showsAudience(token)) return;
    this.#audienceLooks = 0;
    this.#reports.warn('identity_audience_unchecked', { hint: AUDIENCE_HINT });
  }

  /** Notes the answer's `Retry-After`, if it has one, and gives its seconds. */
  #holdBack(response: Response): number | undefined {
    const since = this.#clock();
    const isAsked = response.status === 429 || response.status === 503;
    const wait = isAsked ? (retryAfterMs(response, since) ?? 0) : 0;
    if (wait === 0) return undefined;
    const seconds = Math.min(Math.ceil(wait / 1000), RETRY_AFTER_MAX_SECONDS);
    this.#heldBack = { since, untilMs: since + seconds * 1000 };
    return seconds;
  }

  #heldBackSeconds(): number | undefined {
    const now = this.#clock();
    const held = this.#heldBack;
    // If the clock was set back, the pause is over.
    if (held === undefined || now < held.since || now >= held.untilMs) return undefined;
    return Math.ceil((held.untilMs - now) / 1000);
  }
}

function heldBack(seconds: number): Identity {
  return {
    status: 'unavailable',
    reason: `the identity provider asks for a pause; try again in ${seconds} s`,
    retryAfterSeconds: seconds,
  };
}
