// Asks the provider about a made-up token, for `check --online`: a wrong address is found before the
// first customer signs in.

import { DocumentError } from './documents.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { networkReason } from './send.js';
import { type Ask, type Exchange, inTime, TIME_IS_OVER } from './userinfo.js';

/** `ok`: the provider refuses a made-up token, as it must. Otherwise `remedy` says what the operator can do. */
export interface ProviderFinding {
  readonly ok: boolean;
  /** One sentence without a secret. */
  readonly found: string;
  readonly remedy: string | null;
}

/** Not a secret: this token opens nothing. */
const MADE_UP_TOKEN = 'made-up-token-of-a-check';

const RIGHT_ENDPOINT =
  'set AUTH_USERINFO_URL to the endpoint that tells whose token it is, spelled as userinfo_endpoint in the discovery document (and AUTH_USERINFO_METHOD to its method); or set AUTH_ISSUER alone';
const REACHABLE =
  'check that the provider is up, that this machine reaches it, through its egress proxy if any, and that its certificate is valid here (NODE_EXTRA_CA_CERTS for a private authority)';

/** `ask` is undefined if the gate alone decides. Never rejects; 4 s at most. */
export function probeProvider(gate: JwtVerifier | undefined, ask: Ask | undefined) {
  const probe = async (signal: AbortSignal) => {
    await gate?.ready();
    if (ask !== undefined) return findingOf(await ask(MADE_UP_TOKEN, signal));
    return fit(
      'the keys are there; tokens are checked only here, and each counts until it expires',
    );
  };
  return inTime(probe, (error, isOver) => {
    if (isOver) return unfit(TIME_IS_OVER, REACHABLE);
    if (!(error instanceof DocumentError)) {
      return unfit(`no answer (${networkReason(error)})`, REACHABLE);
    }
    const spelling = `set AUTH_ISSUER to the issuer as the provider spells it; ${REACHABLE}`;
    return unfit(error.message, error.remedy ?? spelling);
  });
}

function findingOf({ status, headers, verdict }: Exchange): ProviderFinding {
  if (verdict.kind === 'refused') return fit(`a made-up token is refused with status ${status}`);
  if (verdict.kind === 'identified') {
    return unfit('a made-up token is accepted: every token opens an account', RIGHT_ENDPOINT);
  }
  if (status >= 500 || status === 429) return unfit(`status ${status}`, REACHABLE);
  // Without the query, which may hold a secret.
  const target = headers.get('location')?.replace(/[?#].*/, '');
  const to = target === undefined ? '' : `, a redirect to ${target}, which is never followed`;
  return unfit(`${verdict.reason}${to}, instead of a refusal of a made-up token`, RIGHT_ENDPOINT);
}

function unfit(found: string, remedy: string): ProviderFinding {
  return { ok: false, found, remedy };
}

function fit(found: string): ProviderFinding {
  return { ok: true, found, remedy: null };
}
