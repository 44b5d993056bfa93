// JWT verification: tokens of another application, another issuer or no issuer are refused without
// calling the provider. With AUTH_USERINFO=off this check alone decides.

import { SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSignIn, type SignInSettings } from '../../src/core/identity/sign-in.js';
import { type MemoryLog, memoryLog } from '../support/memory-log.js';
import { openSigningProvider, type SigningProvider } from './signing-provider.js';

const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };
const IDENTIFIED = { status: 'identified', subject: 'asha' };
const KEYS = '/keys';
const NO_KEYS = 'the key set holds no keys; have the provider sign with a key pair (RS256, ES256)';
const DISCOVERY = '/.well-known/openid-configuration';

let provider: SigningProvider;
let log: MemoryLog;

beforeEach(async () => {
  provider = await openSigningProvider();
  log = memoryLog();
});
afterEach(() => provider.close());

function signIn(changes: SignInSettings = {}) {
  const settings = { issuer: provider.issuer, audiences: ['shop', 'till'], ...changes };
  return openSignIn({ settings, log, clock: () => provider.now });
}

function requestsTo(path: string): number {
  return provider.paths.filter((each) => each === path).length;
}

describe('A token for this service', () => {
  it.each<[string, () => Promise<string>]>([
    ['with its audience alone', () => provider.token()],
    ['with its audience among others', () => provider.token({ aud: ['account', 'shop'] })],
    ['with the other of its audiences', () => provider.token({ aud: 'till' })],
    ['that another clock signed', () => provider.token({ nbf: seconds(25), exp: seconds(60) })],
    ['that ended within the skew of clocks', () => provider.token({ exp: seconds(-25) })],
    ['that names no key', () => provider.token({}, { kid: undefined })],
  ])('passes, and is checked with the provider: %s', async (_name, token) => {
    expect(await signIn().identity.identify(await token())).toEqual(IDENTIFIED);
    expect(provider.paths).toEqual([DISCOVERY, KEYS, '/me']);
    expect(log.lines).toEqual([]);
  });

  it('passes with only a key set, from any issuer', async () => {
    const { identity } = signIn({
      issuer: undefined,
      jwksUrl: `${provider.issuer}/keys`,
      userinfoUrl: `${provider.issuer}/me`,
    });
    const token = await provider.token({ iss: 'https://id.example' });
    expect(await identity.identify(token)).toEqual(IDENTIFIED);
    expect(provider.paths).toEqual([KEYS, '/me']);
  });
});

describe.each(['on', 'off'] as const)('With AUTH_USERINFO=%s, a foreign token', (userinfo) => {
  it.each<[string, () => Promise<string>, string]>([
    ['another application', () => provider.token({ aud: 'other' }), 'aud'],
    ['no application', () => provider.token({ aud: undefined }), 'aud'],
    ['another issuer', () => provider.token({ iss: 'https://id.example' }), 'iss'],
    ['expired', () => provider.token({ exp: seconds(-31) }), 'ERR_JWT_EXPIRED'],
    ['without an end', () => provider.token({ exp: undefined }), 'exp'],
    ['not yet valid', () => provider.token({ nbf: seconds(31) }), 'nbf'],
    ['forged', forged, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
    ['signed with the public key as a secret', symmetric, 'ERR_JOSE_ALG_NOT_ALLOWED'],
    [
      'unsigned',
      async () => new UnsecuredJWT({ aud: 'shop' }).encode(),
      'ERR_JOSE_ALG_NOT_ALLOWED',
    ],
    ['opaque', async () => 'opaque-token', 'ERR_JWS_INVALID'],
  ])('is invalid, and the provider is not called: %s', async (_name, token, reason) => {
    expect(await signIn({ userinfo }).identity.identify(await token())).toEqual(INVALID);
    expect(requestsTo('/me')).toBe(0);
    expect(log.lines).toEqual([
      { level: 'warn', event: 'token_refused_before_asking', fields: { reason } },
    ]);
  });
});

const ALONE = { userinfo: 'off' } as const;
it.each([
  ["Firebase's ID token", undefined, 'sub', { sub: 'Xk893', firebase: { tenant: 'x' } }],
  // Entra's discovery document names an endpoint of another API.
  ["Entra's access token", 'https://graph.example/me', 'oid', { oid: 'aaaa-0000', sub: 'AAIkzq' }],
])(
  'With AUTH_USERINFO=off, %s identifies its account',
  async (_name, userinfo_endpoint, subjectField, claims) => {
    provider.metadata = { userinfo_endpoint };
    const { identity } = signIn({ ...ALONE, subjectField });
    const subject = { ...claims }[subjectField as 'sub'];
    const found = await identity.identify(await provider.token(claims));
    expect(found).toEqual({ ...IDENTIFIED, subject });
    expect([provider.paths, log.lines]).toEqual([[DISCOVERY, KEYS], []]);
  },
);

it('With AUTH_USERINFO=off, a token without a usable subject leaves the account undecided', async () => {
  const { identity } = signIn({ ...ALONE, subjectField: 'oid' });
  expect(await identity.identify(await provider.token())).toEqual(UNAVAILABLE);
  const reason = 'a token without a usable subject; check AUTH_SUBJECT_FIELD';
  expect(log.lines.at(-1)?.fields).toEqual({ reason });
});

it('AUTH_USERINFO=off requires a JWT verifier', () => {
  expect(() => signIn({ ...ALONE, audiences: [] })).toThrow(/audiences must name/);
});

it('Settings that name no provider are refused, because every token would be unavailable', () => {
  expect(() => openSignIn({ settings: {} })).toThrow(/userinfoUrl or issuer must be set/);
});

describe('Keys', () => {
  // jose uses the system's clock.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: provider.now }));
  afterEach(() => void vi.useRealTimers());
  const later = (ms: number) => {
    provider.now += ms;
    vi.setSystemTime(provider.now);
  };

  it('are fetched once for many tokens, again for a new key, and when they are ten minutes old', async () => {
    const { identity } = signIn(ALONE);
    for (let i = 0; i < 5; i++) await identity.identify(await provider.token({ jti: `${i}` }));
    expect([requestsTo(DISCOVERY), requestsTo(KEYS)]).toEqual([1, 1]);
    await provider.rotate();
    later(5_000);
    expect(await identity.identify(await provider.token())).toEqual(IDENTIFIED);
    expect(requestsTo(KEYS)).toBe(2);
    later(595_000);
    await identity.identify(await provider.token());
    await expect.poll(() => [requestsTo(DISCOVERY), requestsTo(KEYS)]).toEqual([2, 3]);
  });

  it.each([600_000, -24 * 3_600_000])(
    'that were withdrawn are unknown after the reload, when the clock has moved by %i ms',
    async (ms) => {
      const { identity } = signIn(ALONE);
      const exp = seconds(3_600);
      expect(await identity.identify(await provider.token({ exp }))).toEqual(IDENTIFIED);
      const withdrawn = await provider.token({ exp, jti: 'another' });
      await provider.rotate();
      later(ms);
      await expect.poll(() => identity.identify(withdrawn)).toEqual(INVALID);
    },
  );

  it('that are unknown are fetched at most every 5 s, for any number of tokens, so that a rotation is noticed', async () => {
    const { identity } = signIn();
    await identity.identify(await provider.token());
    later(5_000);
    for (let i = 0; i < 20; i++) {
      const token = await provider.token({}, { kid: `made-up-${i}` });
      expect(await identity.identify(token)).toEqual(INVALID);
    }
    expect(requestsTo(KEYS)).toBe(2);
    expect(requestsTo('/me')).toBe(1);
    await provider.rotate();
    later(5_000);
    expect(await identity.identify(await provider.token())).toEqual(IDENTIFIED);
  });

  it.each<[string, number | (() => void)]>([
    ['is broken', 500],
    ['does not answer', () => {}],
  ])('stay in use, and no check waits, while the provider %s', async (_name, failure) => {
    const { identity } = signIn(ALONE);
    await identity.identify(await provider.token());
    for (const path of [DISCOVERY, KEYS]) provider.broken.set(path, failure);
    for (let i = 1; i <= 3; i++) {
      later(24 * 3_600_000);
      for (let n = 0; n < 3; n++) {
        const token = await provider.token({ jti: `${i}-${n}` });
        expect(await identity.identify(token)).toEqual(IDENTIFIED);
      }
      await expect.poll(() => [requestsTo(DISCOVERY), requestsTo(KEYS)]).toEqual([1 + i, 1 + i]);
    }
    provider.broken.clear();
    await provider.rotate();
    later(600_000);
    expect(await identity.identify(await provider.token())).toEqual(IDENTIFIED);
  });

  it.each<[object | ((issuer: string) => object), string]>([
    [
      { issuer: 'https://id.example' },
      'the discovery document names "https://id.example"; set AUTH_ISSUER to the issuer that it names',
    ],
    // A plain connection to another machine.
    [
      { jwks_uri: 'http://id.example/keys' },
      'the discovery document names no usable jwks_uri; set AUTH_JWKS_URL to the URL of the JSON Web Key Set',
    ],
    [(issuer) => ({ jwks_uri: `${issuer}${DISCOVERY}` }), NO_KEYS],
    [
      () => ({ more: ' '.repeat(262_144) }),
      'could not fetch the discovery document: a response over 262144 bytes',
    ],
  ])('that could never be fetched make the service unavailable: %o', async (metadata, reason) => {
    const { issuer } = provider;
    provider.metadata = { ...(typeof metadata === 'function' ? metadata(issuer) : metadata) };
    const token = await provider.token();
    expect(await signIn().identity.identify(token)).toEqual(UNAVAILABLE);
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ reason }]);
    expect(requestsTo('/me')).toBe(0);
  });
});

it.each('RS256 PS512 ES384 EdDSA'.split(' '))('A provider may sign with %s', async (algorithm) => {
  await provider.close();
  provider = await openSigningProvider(algorithm);
  expect(await signIn().identity.identify(await provider.token())).toEqual(IDENTIFIED);
});

it('Without an audience, tokens are only checked with the provider, at the issuer’s endpoint', async () => {
  const { identity } = signIn({ audiences: [] });
  expect(await identity.identify('opaque-token')).toEqual(IDENTIFIED);
  expect(provider.paths).toEqual([DISCOVERY, '/me']);
});

function seconds(after: number): number {
  return Math.floor(provider.now / 1000) + after;
}

/** Signed with a key of the same id that isn't the provider's. */
async function forged(): Promise<string> {
  await using thief = await openSigningProvider();
  return thief.token({ iss: provider.issuer });
}

async function symmetric(): Promise<string> {
  const secret = new TextEncoder().encode('the-public-key-which-everybody-has');
  const claims = { iss: provider.issuer, aud: 'shop', exp: seconds(300) };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret);
}
