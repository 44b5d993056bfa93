// Asks the provider about a made-up token, for `check --online`: a wrong address is found before the
// first customer signs in.

import { inTime } from './deadline.js';
import type { JwtVerifier } from './jwt-verifier.js';
import type { Ask } from './userinfo.js';

/** `found`: one sentence without a secret; if not `ok`, with what the operator can do. */
export interface ProviderFinding {
  readonly ok: boolean;
  readonly found: string;
}

/** Not a secret: this token opens nothing. */
const MADE_UP_TOKEN = 'made-up-token-of-a-check';

const REMEDY =
  'check that the provider is up, that this machine reaches it and trusts its certificate (NODE_EXTRA_CA_CERTS for a private authority), that AUTH_USERINFO_URL is the endpoint that tells whose token it is, as userinfo_endpoint in the discovery document, and AUTH_USERINFO_METHOD its method; or set AUTH_ISSUER alone';

/** `ask` is undefined if the gate alone decides. Never rejects; 4 s at most. */
export function probeProvider(
  gate: JwtVerifier | undefined,
  ask: Ask | undefined,
): Promise<ProviderFinding> {
  const probe = async (signal: AbortSignal): Promise<ProviderFinding> => {
    await gate?.ready();
    const verdict = await ask?.(MADE_UP_TOKEN, signal);
    if (verdict === undefined) {
      return { ok: true, found: 'the keys are there; each token counts until it expires' };
    }
    if (verdict.kind === 'refused') return { ok: true, found: 'a made-up token is refused' };
    if (verdict.kind === 'unusable') return unfit(`${verdict.fields.reason}, not a refusal`);
    return unfit('every token opens an account, a made-up one too');
  };
  return inTime(probe, unfit);
}

function unfit(found: string): ProviderFinding {
  return { ok: false, found: `${found}; ${REMEDY}` };
}
