// Sign-in as the settings describe it, put together once for every host:
// discovery, gate, user information, checks, and the question of `check --online`.

import { Checks, type ChecksOptions } from './checks.js';
import { addressOf, discovery, remoteKeys } from './documents.js';
import type { IdentityProvider } from './identity-provider.js';
import { jwtVerifier } from './jwt-verifier.js';
import { type ProviderFinding, probeProvider } from './probe.js';
import { type Send, send } from './send.js';
import { type EndpointOptions, tokenAlone, userinfoEndpoint } from './userinfo.js';

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

export interface SignInOptions
  extends Pick<ChecksOptions, 'log' | 'clock' | 'joined' | 'checksAtOnce' | 'digest' | 'events'> {
  readonly settings: SignInSettings;
  /** Default: `node:http` on Node, the platform's `fetch` elsewhere. */
  readonly fetch?: Send | undefined;
}

export type UserinfoOptions = EndpointOptions & Pick<ChecksOptions, 'log' | 'clock'>;

/** A provider's endpoint alone: one check for each call, nothing shared. Throws a TypeError for a `subjectField` that can match nothing. */
export function userinfoIdentity(options: UserinfoOptions): IdentityProvider {
  return new Checks({ ...options, ask: userinfoEndpoint(options), joined: false });
}

export interface SignIn {
  readonly identity: IdentityProvider;
  /** Asks the provider about a made-up token, which it must refuse. Never rejects; 4 s at most. */
  probe(): Promise<ProviderFinding>;
}

/** Throws a TypeError for a `subjectField` that can match nothing, and if `userinfo` is `off` without a gate. */
export function openSignIn(options: SignInOptions): SignIn {
  const { settings, fetch = send, clock = Date.now, joined = true } = options;
  const { issuer, audiences, subjectField, cacheSeconds } = settings;
  const source = { fetch, clock, joined };
  const metadata = issuer === undefined ? undefined : discovery(issuer, source);
  const keys = remoteKeys(addressOf('jwks_uri', settings.jwksUrl, metadata), source);
  const url = addressOf('userinfo_endpoint', settings.userinfoUrl, metadata);
  const gate = audiences.length === 0 ? undefined : jwtVerifier({ audiences, issuer, keys, clock });
  const isOn = settings.userinfo === 'on';
  if (!isOn && gate === undefined) {
    throw new TypeError('userinfo is off; audiences must name at least one audience');
  }
  const endpoint = isOn ? userinfoEndpoint({ ...settings, url, fetch }) : undefined;
  const ask = endpoint ?? tokenAlone(subjectField);
  return {
    identity: new Checks({ ...options, gate, ask, cacheSeconds }),
    probe: () => probeProvider(gate, endpoint),
  };
}
