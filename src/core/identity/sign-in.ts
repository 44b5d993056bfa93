// Sign-in as the settings describe it, put together once for every host:
// discovery, gate, user information, shared checks, and the question at the start.

import type { Eventually } from '../eventually.js';
import { type Log, silentLog } from '../log.js';
import { cachedChecks, sha256 } from './cached-checks.js';
import { type CachedDocument, DocumentError } from './cached-document.js';
import { discovery, type ProviderMetadata } from './discovery.js';
import type { IdentityProvider } from './identity-provider.js';
import { type JwtVerifier, jwtVerifier } from './jwt-verifier.js';
import { limitedChecks } from './limited-checks.js';
import { type IdentityEvents, meteredExchange } from './metered-checks.js';
import { type ProviderFinding, probeProvider } from './probe.js';
import { tokenIdentity } from './token-identity.js';
import { userinfoIdentity } from './userinfo.js';
import { UserinfoEndpoint } from './userinfo-endpoint.js';

/** The provider, as an operator describes it. */
export interface SignInSettings {
  /** `off`: the gate alone decides, and a token counts until its `exp`. */
  readonly userinfo: 'on' | 'off';
  /** Undefined: the issuer's discovery document names it. */
  readonly userinfoUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: 'GET' | 'POST';
  /** Dotted path or JSON Pointer to the subject. */
  readonly subjectField: string;
  readonly issuer: string | undefined;
  readonly jwksUrl: string | undefined;
  /** Empty: no gate. */
  readonly audiences: readonly string[];
  /** How long a successful check is remembered; 0: not at all. */
  readonly cacheSeconds: number;
}

export interface SignInOptions {
  readonly settings: SignInSettings;
  readonly log?: Log;
  readonly fetch?: typeof fetch;
  /** Sends on a connection of its own, where a kept one was closed. Default: `fetch`. */
  readonly freshFetch?: typeof fetch;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** Whether one request may wait for another's exchange; default true. */
  readonly joined?: boolean;
  /** A token's hash. Default: SHA-256 by WebCrypto. */
  readonly digest?: (token: string) => Eventually<string>;
  /** Called for every check. Default: no call. */
  readonly events?: IdentityEvents | undefined;
}

export interface SignIn {
  readonly identity: IdentityProvider;
  /** Asks the provider about a made-up token and says what came of it. Never rejects; 4 s at most. */
  probe(signal?: AbortSignal): Promise<ProviderFinding>;
}

/** Throws a TypeError for a `subjectField` that can match nothing, and where `userinfo` is `off` without a gate. */
export function openSignIn(options: SignInOptions): SignIn {
  const { settings, log = silentLog, clock = Date.now, joined = true } = options;
  const { issuer, jwksUrl, audiences, cacheSeconds } = settings;
  const send: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const source = { fetch: send, clock, joined };
  const metadata = issuer === undefined ? undefined : discovery(issuer, source);
  const endpoint = {
    url: settings.userinfoUrl ?? ((signal: AbortSignal) => userinfoUrl(metadata, signal)),
    headers: settings.headers,
    method: settings.method,
    subjectField: settings.subjectField,
    fetch: send,
    ...(options.freshFetch && { freshFetch: options.freshFetch }),
  };
  const gate =
    audiences.length === 0
      ? undefined
      : jwtVerifier({ ...source, audiences, issuer, jwksUrl, metadata });
  const asked =
    settings.userinfo === 'off'
      ? tokenIdentity({ gate: demanded(gate), subjectField: settings.subjectField, log, clock })
      : userinfoIdentity({ ...endpoint, log, clock, ...(gate && { gate }) });
  const { digest = sha256, events } = options;
  const metered = meteredExchange(asked, events);
  // A check above the bound waits for another one's end. Where it may not wait, a burst of one
  // account's first requests would be refused instead.
  const provider = joined ? limitedChecks(metered, { digest, clock }) : metered;
  const shared = (how: 'joined' | 'remembered') => events?.identityShared(how);
  return {
    identity: cachedChecks(provider, { cacheSeconds, joined, clock, digest, shared }),
    probe: (signal) =>
      probeProvider({
        endpoint: settings.userinfo === 'off' ? undefined : new UserinfoEndpoint(endpoint),
        method: settings.method,
        subjectField: settings.subjectField,
        ...(gate && { gate }),
        ...(signal && { signal }),
      }),
  };
}

async function userinfoUrl(
  metadata: CachedDocument<ProviderMetadata> | undefined,
  signal: AbortSignal,
): Promise<string> {
  const url = (await metadata?.get(signal))?.userinfoEndpoint;
  if (url !== undefined) return url;
  throw new DocumentError('the discovery document names no usable userinfo_endpoint', {
    remedy:
      'where this provider only issues JWTs, set AUTH_USERINFO=off beside AUTH_AUDIENCE; else set AUTH_USERINFO_URL',
  });
}

function demanded(gate: JwtVerifier | undefined): JwtVerifier {
  if (gate !== undefined) return gate;
  throw new TypeError('userinfo is off; audiences must name at least one audience');
}
