// Builds sign-in from the settings, the same on every host: discovery, JWT verification, user
// information, the checks of tokens, and the probe of `check --online`.

import { silentLog } from '../log.js';
import { discovery } from './documents.js';
import type { IdentityProvider } from './identity-provider.js';
import { jwtVerifier } from './jwt-verifier.js';
import { ProviderError, reasonOf, type Send, send, withTimeout } from './send.js';
import { TokenChecks, type TokenChecksOptions } from './token-checks.js';
import { subjectOfToken, userinfoEndpoint } from './userinfo.js';

/** The provider, as an operator describes it. */
export interface SignInSettings {
  /** `off`: only the signature is checked, and a token is valid until its `exp`. Default: `on`. */
  readonly userinfo?: 'on' | 'off';
  /** Undefined: the issuer's discovery document names it. */
  readonly userinfoUrl?: string | undefined;
  /** Extra request headers; Supabase wants its `apikey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `GET`; PocketBase wants `POST`. */
  readonly method?: 'GET' | 'POST';
  /** Dotted path or JSON Pointer to the subject. Default: `sub`. */
  readonly subjectField?: string;
  readonly issuer?: string | undefined;
  readonly jwksUrl?: string | undefined;
  /** Default: none; tokens are not checked locally. */
  readonly audiences?: readonly string[];
  /** How long a successful check is cached. Default: 0, not at all. */
  readonly cacheSeconds?: number;
}

export interface SignInOptions
  extends Pick<TokenChecksOptions, 'maxConcurrentChecks' | 'digest' | 'events'>,
    Partial<Pick<TokenChecksOptions, 'log' | 'clock'>> {
  readonly settings: SignInSettings;
  /** Default: `node:http` on Node, the platform's `fetch` elsewhere. */
  readonly fetch?: Send | undefined;
}

export interface SignIn {
  readonly identity: IdentityProvider;
  /**
   * Checks a made-up token, which the provider must refuse. Resolves with the finding, or rejects with
   * what the operator can do, in one sentence without a secret. Takes at most 4 s.
   */
  probe(): Promise<string>;
}

/** Not a secret: no account has this token. */
const MADE_UP_TOKEN = 'made-up-token-of-a-check';

const REMEDY =
  'check that the provider is up, that this machine reaches it and trusts its certificate (NODE_EXTRA_CA_CERTS for a private authority), that AUTH_USERINFO_URL is the user-information endpoint (userinfo_endpoint in the discovery document), and AUTH_USERINFO_METHOD its method; or set AUTH_ISSUER alone';

/** Throws a TypeError for a `subjectField` that can match nothing, and without audiences (`userinfo: 'off'`) or an endpoint. */
export function openSignIn(options: SignInOptions): SignIn {
  const { settings, fetch = send, clock = Date.now, log = silentLog } = options;
  const { userinfo = 'on', headers = {}, method = 'GET', subjectField = 'sub' } = settings;
  const { userinfoUrl, jwksUrl, issuer, audiences = [], cacheSeconds = 0 } = settings;
  const provider = { fetch, clock };
  const discovered = discovery(issuer, provider);
  const keysUrl = async () => jwksUrl ?? discovered('jwks_uri');
  const verifyJwt =
    audiences.length > 0
      ? jwtVerifier({ ...provider, audiences, issuer, url: keysUrl })
      : undefined;
  if (userinfo === 'off' && verifyJwt === undefined) {
    throw new TypeError('userinfo is off; audiences must name at least one audience');
  }
  if (userinfo === 'on' && (userinfoUrl ?? issuer) === undefined) {
    throw new TypeError('settings name no provider; userinfoUrl or issuer must be set');
  }
  const url = async () => userinfoUrl ?? discovered('userinfo_endpoint');
  const endpoint = userinfoEndpoint({ ...provider, url, headers, method, subjectField });
  const checkToken = userinfo === 'on' ? endpoint : subjectOfToken(subjectField);
  const probe = async (signal: AbortSignal) => {
    await verifyJwt?.(MADE_UP_TOKEN);
    if (userinfo === 'off') return 'the keys were fetched; each token is valid until it expires';
    if ('refused' in (await endpoint(MADE_UP_TOKEN, signal))) return 'a made-up token is refused';
    throw new ProviderError('every token is accepted');
  };
  return {
    identity: new TokenChecks({ ...options, log, clock, verifyJwt, checkToken, cacheSeconds }),
    probe: () =>
      withTimeout(probe).catch((error) => {
        const found = `the identity provider did not refuse a made-up token: ${reasonOf(error)}`;
        throw new Error(`${found}; ${REMEDY}`);
      }),
  };
}
