// Asks the provider about a made-up token, so that a wrong address is found at the start.

import { DocumentError } from './documents.js';
import { type Ask, type Exchange, inTime, TIME_IS_OVER } from './exchange.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { mediaType } from './provider-words.js';
import { networkCode, networkReason } from './send.js';

/** `ok`: the provider refuses a made-up token, as it must. Otherwise `remedy` says what the operator can do. */
export interface ProviderFinding {
  readonly ok: boolean;
  /** One sentence without a secret. */
  readonly found: string;
  readonly remedy: string | null;
  /** Nothing is known of the settings yet: the provider did not answer, or said that it cannot. */
  readonly away?: boolean;
}

/** Not a secret: this token opens nothing. */
export const MADE_UP_TOKEN = 'made-up-token-of-a-start';

const RIGHT_ENDPOINT =
  'set AUTH_USERINFO_URL to the endpoint that tells whose token it is, spelled as userinfo_endpoint in the discovery document; or set AUTH_ISSUER alone';

/** `ask` is undefined if the gate alone decides. Never rejects; 4 s at most. */
export function probeProvider(
  gate: JwtVerifier | undefined,
  ask: Ask | undefined,
  stopped: AbortSignal | undefined,
): Promise<ProviderFinding> {
  const probe = async (signal: AbortSignal) => {
    await gate?.ready(signal);
    if (ask !== undefined) return findingOf(await ask(MADE_UP_TOKEN, signal));
    return fit(
      'the keys are there; tokens are checked only here, and each counts until it expires',
    );
  };
  return inTime(probe, failureOf, stopped);
}

function findingOf({ status, headers, verdict }: Exchange): ProviderFinding {
  if (verdict.kind === 'refused') return fit(`a made-up token is refused with status ${status}`);
  if (verdict.kind === 'identified') {
    return unfit('a made-up token is accepted: every token opens an account', RIGHT_ENDPOINT);
  }
  if (isPassing(status)) return noAnswer(`status ${status}`);
  if (status === 405) {
    return unfit('status 405: the endpoint takes another method', 'set AUTH_USERINFO_METHOD');
  }
  if (status >= 300 && status <= 399) {
    // Without the query, which may hold a secret.
    const target = headers.get('location')?.replace(/[?#].*/, '') ?? 'elsewhere';
    return unfit(
      `status ${status}: the endpoint redirects to ${target}, which is never followed`,
      RIGHT_ENDPOINT,
    );
  }
  const isPage = mediaType(headers.get('content-type'), MADE_UP_TOKEN) === 'text/html';
  const what = isPage ? `${verdict.reason} (HTML, a page for people)` : verdict.reason;
  return unfit(`${what}, instead of a refusal of a made-up token`, RIGHT_ENDPOINT);
}

function failureOf(error: unknown, isOver: boolean): ProviderFinding {
  if (isOver) return noAnswer(TIME_IS_OVER);
  const document = error instanceof DocumentError ? error : undefined;
  const network = document === undefined ? error : document.cause;
  if (network === undefined) {
    const { message = '', status, remedy } = document ?? {};
    if (isPassing(status)) return noAnswer(message);
    return unfit(message, remedy ?? 'set AUTH_ISSUER to the issuer as the provider spells it');
  }
  const code = networkCode(network);
  if (/CERT|^UNABLE_TO_(GET|VERIFY)_/.test(code)) {
    const remedy = 'renew it, or use the name that it has';
    const ofPrivate =
      'for a private authority start with NODE_EXTRA_CA_CERTS set to its certificate';
    return unfit(`the certificate is refused (${code})`, `${remedy}; ${ofPrivate}`);
  }
  return noAnswer(document?.message ?? `no answer (${networkReason(network)})`);
}

function isPassing(status = 0): boolean {
  return status >= 500 || status === 429;
}

/** This may pass. */
function noAnswer(found: string): ProviderFinding {
  const remedy = 'check that the provider is up, and that this machine reaches it';
  return { ...unfit(found, `${remedy}, through its egress proxy if any`), away: true };
}

function unfit(found: string, remedy: string): ProviderFinding {
  return { ok: false, found, remedy };
}

function fit(found: string): ProviderFinding {
  return { ok: true, found, remedy: null };
}
