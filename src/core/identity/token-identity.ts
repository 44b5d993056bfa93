// Finds the account of a token by the gate alone, for providers that only issue JWTs.
// The token itself names the account, and it counts until its end: nobody is asked
// whether it was revoked.

import type { Log } from '../log.js';
import { ThrottledLog } from '../throttled-log.js';
import { type Identity, type IdentityProvider, INVALID, UNAVAILABLE } from './identity-provider.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { memberNames } from './provider-words.js';
import { checkedSubjectPath, isTooLong, subjectAt } from './subject.js';
import { timedCheck } from './timed-check.js';
import { expiryOf } from './token-claims.js';

export interface TokenIdentityOptions {
  readonly gate: JwtVerifier;
  /** Dotted path or JSON Pointer to the subject in the token's claims. */
  readonly subjectField: string;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/** One check for each call, 4 s at most. Throws a TypeError for a `subjectField` that can match nothing. */
export function tokenIdentity(options: TokenIdentityOptions): IdentityProvider {
  const { gate, subjectField: field, log, clock } = options;
  const path = checkedSubjectPath(field);
  const reports = new ThrottledLog(log, clock);

  function unusable(fields: Readonly<Record<string, string>>): Identity {
    reports.warn('identity_provider_unavailable', fields);
    return UNAVAILABLE;
  }

  async function identityOf(token: string, signal: AbortSignal): Promise<Identity> {
    const verdict = await gate.check(token, signal);
    if (verdict.kind === 'unavailable') throw verdict.error;
    if (verdict.kind === 'refused') {
      reports.warn('token_refused_before_asking', { reason: verdict.reason });
      return INVALID;
    }
    const { claims } = verdict;
    const subject = subjectAt(claims, path);
    if (subject === undefined) {
      const members = memberNames(claims, token) ?? '';
      return unusable({ reason: 'a token without a usable subject', field, members });
    }
    if (isTooLong(subject)) return unusable({ reason: 'a subject over 1024 bytes' });
    const expiresAt = expiryOf(claims);
    return { status: 'identified', subject, ...(expiresAt !== undefined && { expiresAt }) };
  }

  return {
    identify: (token) =>
      timedCheck(
        (signal) => identityOf(token, signal),
        (reason) => unusable({ reason }),
      ),
  };
}
