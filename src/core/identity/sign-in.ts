// Sign-in as the settings describe it, put together once for every host:
// discovery, gate, user information, checks, and the question of `check --online`.

import { silentLog } from '../log.js';
import { Checks, type ChecksOptions } from './checks.js';
import { discovery } from './documents.js';
import type { IdentityProvider } from './identity-provider.js';
import { jwtVerifier } from './jwt-verifier.js';
import { inTime, ProviderError, reasonOf, type Send, send } from './send.js';
import { tokenAlone, userinfoEndpoint } from './userinfo.js';

/** The provider, as an operator describes it. */
export interface SignInSettings {
  /** `off`: the gate alone decides, and a token counts until its `exp`. Default: `on`. */
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
  /** How long a successful check is remembered. Default: 0, not at all. */
  readonly cacheSeconds?: number;
}

export interface SignInOptions
  extends Pick<ChecksOptions, 'checksAtOnce' | 'digest' | 'events'>,
    Partial<Pick<ChecksOptions, 'log' | 'clock'>> {
  readonly settings: SignInSettings;
  /** Default: `node:http` on Node, the platform's `fetch` elsewhere. */
  readonly fetch?: Send | undefined;
}

export interface SignIn {
  readonly identity: IdentityProvider;
  /**
   * Asks the provider about a made-up token, which it must refuse. Resolves with what was found,
   * rejects with what the operator can do: one sentence without a secret. 4 s at most.
   */
  probe(): Promise<string>;
}

/** Not a secret: this token opens nothing. */
const MADE_UP_TOKEN = 'made-up-token-of-a-check';

const REMEDY =
  'check that the provider is up, that this machine reaches it and trusts its certificate (NODE_EXTRA_CA_CERTS for a private authority), that AUTH_USERINFO_URL is the endpoint that tells whose token it is, as userinfo_endpoint in the discovery document, and AUTH_USERINFO_METHOD its method; or set AUTH_ISSUER alone';

/** Throws a TypeError for a `subjectField` that can match nothing, and without a gate (`userinfo: 'off'`) or an endpoint. */
export function openSignIn(options: SignInOptions): SignIn {
  const { settings, fetch = send, clock = Date.now, log = silentLog } = options;
  const { userinfo = 'on', headers = {}, method = 'GET', subjectField = 'sub' } = settings;
  const { userinfoUrl, jwksUrl, issuer, audiences = [], cacheSeconds = 0 } = settings;
  const source = { fetch, clock };
  const discovered = discovery(issuer, source);
  const keysUrl = async () => jwksUrl ?? discovered('jwks_uri');
  const hasGate = audiences.length > 0;
  const gate = hasGate ? jwtVerifier({ ...source, audiences, issuer, url: keysUrl }) : undefined;
  if (userinfo === 'off' && !hasGate) {
    throw new TypeError('userinfo is off; audiences must name at least one audience');
  }
  if (userinfo === 'on' && (userinfoUrl ?? issuer) === undefined) {
    throw new TypeError('settings name no provider; userinfoUrl or issuer must be set');
  }
  const url = async () => userinfoUrl ?? discovered('userinfo_endpoint');
  const asked = { ...source, url, headers, method, subjectField };
  const endpoint = userinfo === 'on' ? userinfoEndpoint(asked) : undefined;
  const ask = endpoint ?? tokenAlone(subjectField);
  const probe = async (signal: AbortSignal) => {
    await gate?.(MADE_UP_TOKEN);
    if (endpoint === undefined) return 'the keys are there; each token counts until it expires';
    if ('refused' in (await endpoint(MADE_UP_TOKEN, signal))) return 'a made-up token is refused';
    throw new ProviderError('every token opens an account');
  };
  return {
    identity: new Checks({ ...options, log, clock, gate, ask, cacheSeconds }),
    probe: () =>
      inTime(probe).catch((error) => {
        const found = `the identity provider did not refuse a made-up token: ${reasonOf(error)}`;
        throw new Error(`${found}; ${REMEDY}`);
      }),
  };
}
