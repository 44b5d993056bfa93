// Asks the provider once, at the start, about a made-up token. So a wrong address is
// found at the start, and not by the first customer.

import { isJsonObject } from '../domain/json.js';
import { IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { DocumentError } from './cached-document.js';
import type { JwtVerifier } from './jwt-verifier.js';
import { networkCode } from './network-code.js';
import { mediaType } from './provider-words.js';
import type { Exchange, UserinfoEndpoint } from './userinfo-endpoint.js';

export interface ProbeOptions {
  /** Undefined: the gate alone decides. */
  readonly endpoint: UserinfoEndpoint | undefined;
  readonly method: 'GET' | 'POST';
  readonly subjectField: string;
  readonly gate?: JwtVerifier;
  readonly signal?: AbortSignal;
}

/** `ok`: the provider refuses a made-up token, as it must. Else `remedy` says what the operator can do. */
export interface ProviderFinding {
  readonly ok: boolean;
  /** One sentence without a secret. */
  readonly found: string;
  readonly remedy: string | null;
  /** Nothing was found out about the settings: the provider did not answer, or said that it cannot. */
  readonly away?: boolean;
}

/** Not a secret: this token opens nothing. */
export const MADE_UP_TOKEN = 'made-up-token-of-a-start';

const KEYS_FOUND: ProviderFinding = {
  ok: true,
  found: 'the keys are there; tokens are checked here alone, and each counts until its end',
  remedy: null,
};

/** Never rejects; 4 s at most. */
export async function probeProvider(options: ProbeOptions): Promise<ProviderFinding> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, IDENTITY_PROVIDER_TIMEOUT_MS);
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    await options.gate?.ready(controller.signal);
    if (options.endpoint === undefined) return KEYS_FOUND;
    const exchange = await options.endpoint.ask(MADE_UP_TOKEN, controller.signal);
    return findingOf(exchange, options);
  } catch (error) {
    return failureOf(error, controller.signal);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
    controller.abort();
  }
}

function findingOf({ response, verdict }: Exchange, options: ProbeOptions): ProviderFinding {
  const { status } = response;
  if (verdict.kind === 'refused') {
    return { ok: true, found: `a made-up token is refused with status ${status}`, remedy: null };
  }
  if (verdict.kind === 'identified') {
    return unfit(
      'a made-up token is taken for an account: every token opens it',
      'set AUTH_USERINFO_URL to an endpoint that checks the token',
    );
  }
  if (status >= 300 && status <= 399) return redirectFinding(response, options);
  if (status === 404) {
    return unfit(
      'status 404: nothing is at this address',
      'compare AUTH_USERINFO_URL with userinfo_endpoint in the discovery document, the trailing slash included',
    );
  }
  if (status === 405) {
    const other = options.method === 'GET' ? 'POST' : 'GET';
    return unfit(
      `status 405: the endpoint takes no ${options.method}`,
      `set AUTH_USERINFO_METHOD=${other}`,
    );
  }
  if (isJsonObject(verdict.answer) && 'issuer' in verdict.answer) {
    return discoveryFinding(verdict.answer['userinfo_endpoint']);
  }
  if (mediaType(response.headers.get('content-type'), MADE_UP_TOKEN) === 'text/html') {
    return unfit(
      `a page for people (HTML, status ${status})`,
      'set AUTH_USERINFO_URL to the endpoint for programs: userinfo_endpoint in the discovery document',
    );
  }
  if (isPassing(status)) return noAnswer(`status ${status}`);
  return unfit(
    `${verdict.reason}, where a refusal of a made-up token was expected`,
    'see whether AUTH_USERINFO_URL is the endpoint that tells whose token it is',
  );
}

function redirectFinding(response: Response, options: ProbeOptions): ProviderFinding {
  const asked = URL.canParse(response.url) ? new URL(response.url) : undefined;
  const location = response.headers.get('location');
  const target =
    location !== null && URL.canParse(location, asked) ? new URL(location, asked) : undefined;
  const found = `status ${response.status}: the endpoint redirects, which is never followed`;
  if (asked === undefined || target === undefined) {
    return unfit(found, 'set AUTH_USERINFO_URL to the address that it redirects to');
  }
  if (target.origin === asked.origin && target.pathname === `${asked.pathname}/`) {
    return unfit(found, 'add the trailing slash to AUTH_USERINFO_URL');
  }
  if (options.method === 'GET' && /log-?in|sign-?in|auth/i.test(target.pathname)) {
    return unfit(
      `${found}, to a page for people`,
      'set AUTH_USERINFO_URL to the endpoint for programs: userinfo_endpoint in the discovery document',
    );
  }
  return unfit(found, `set AUTH_USERINFO_URL to ${target.origin}${target.pathname}`);
}

function discoveryFinding(endpoint: unknown): ProviderFinding {
  const use = typeof endpoint === 'string' && URL.canParse(endpoint) ? endpoint : undefined;
  return unfit(
    'this is the discovery document, not user information',
    use === undefined
      ? 'set AUTH_ISSUER to its issuer; it names no userinfo_endpoint'
      : `set AUTH_USERINFO_URL to ${use}`,
  );
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function failureOf(error: unknown, signal: AbortSignal): ProviderFinding {
  if (signal.aborted) {
    return noAnswer(
      `no answer within ${IDENTITY_PROVIDER_TIMEOUT_MS} ms`,
      'see whether this machine reaches the provider, through its egress proxy if it has one',
    );
  }
  const network = error instanceof DocumentError ? error.cause : error;
  const code = network === undefined ? undefined : networkCode(network);
  if (code !== undefined && UNTRUSTED.has(code)) {
    return unfit(
      `the certificate is not trusted (${code})`,
      'set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, and start again',
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'CERT_HAS_EXPIRED') {
    return unfit(`the certificate does not fit (${code})`, 'renew it, or use the name that it has');
  }
  const isUp = 'see whether the provider is up, and whether this machine reaches it';
  if (!(error instanceof DocumentError)) {
    return noAnswer(`no answer (${code ?? 'network error'})`, isUp);
  }
  if (network !== undefined) return noAnswer(error.message, isUp);
  if (isPassing(error.status)) return noAnswer(error.message);
  const { message, remedy = 'set AUTH_ISSUER to the issuer as the provider spells it' } = error;
  return unfit(message, remedy);
}

function isPassing(status = 0): boolean {
  return status >= 500 || status === 429;
}

function noAnswer(
  found: string,
  remedy = 'see whether the provider is up; this may pass',
): ProviderFinding {
  return { ...unfit(found, remedy), away: true };
}

function unfit(found: string, remedy: string): ProviderFinding {
  return { ok: false, found, remedy };
}
