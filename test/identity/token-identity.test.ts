// Sign-in with AUTH_USERINFO=off, for providers that only issue JWTs. Each stand-in has the
// discovery document and the claims that the provider's public documentation names.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openSignIn, type SignInSettings } from '../../src/core/identity/sign-in.js';
import { type KeptLog, keptLog } from '../support/kept-log.js';
import { signInSettings } from '../support/sign-in-settings.js';
import { openSigningProvider, type SigningProvider } from '../support/signing-provider.js';

type Claims = Readonly<Record<string, unknown>>;

const USERINFO = 'https://graph.microsoft.com/oidc/userinfo';
/** Name, user-information endpoint, place of the subject, subject, claims. */
const STAND_INS: readonly (readonly [string, string | undefined, string, string, Claims])[] = [
  ["Firebase's ID token", undefined, 'sub', 'Xk893', { sub: 'Xk893', firebase: { tenant: 'x' } }],
  ["Clerk's session token", USERINFO, 'sub', 'user_2Zf', { sub: 'user_2Zf', azp: 'https://x' }],
  ["Cognito's ID token", USERINFO, 'sub', 'aaaa-bbbb', { sub: 'aaaa-bbbb', token_use: 'id' }],
  ["Entra's access token", USERINFO, 'oid', 'aaaa-0000', { oid: 'aaaa-0000', sub: 'AAIkzq' }],
  ["Google's ID token", USERINFO, 'sub', '107691', { sub: '107691', email_verified: true }],
];
const DISCOVERY = '/.well-known/openid-configuration';

// Once for all tests: a key of RSA takes a quarter of a second.
let provider: SigningProvider;
let log: KeptLog;
let askedBefore: number;

beforeAll(async () => {
  provider = await openSigningProvider('RS256');
});
beforeEach(() => {
  askedBefore = provider.asked.length;
  log = keptLog();
  provider.metadata = { userinfo_endpoint: undefined };
});
afterAll(() => provider.close());

function signIn(changes: Partial<SignInSettings> = {}) {
  const off = { userinfo: 'off', issuer: provider.issuer, audiences: ['shop'] } as const;
  const settings = signInSettings({ ...off, ...changes });
  return openSignIn({ settings, log, clock: () => provider.now });
}

it.each(STAND_INS)(
  '%s opens the account that it names, and the provider is not asked',
  async (_name, userinfo_endpoint, subjectField, subject, claims) => {
    provider.metadata = { userinfo_endpoint };
    const token = await provider.token({ aud: 'shop', ...claims });
    const identity = await signIn({ subjectField }).identity.identify(token);
    expect(identity).toEqual({ status: 'identified', subject });
    expect(provider.asked.slice(askedBefore)).toEqual([DISCOVERY, '/keys']);
    expect(log.lines).toEqual([]);
  },
);

it.each([
  [
    'is not there',
    { subjectField: 'oid' },
    {},
    { reason: 'a token without a usable subject', field: 'oid', members: 'iss, aud, sub, exp' },
  ],
  ['is too long', {}, { sub: 'x'.repeat(1_025) }, { reason: 'a subject over 1024 bytes' }],
])('A good token whose subject %s is unavailable, and the log says why', async (...row) => {
  const [, settings, claims, fields] = row;
  const token = await provider.token({ aud: 'shop', ...claims });
  expect(await signIn(settings).identity.identify(token)).toEqual({ status: 'unavailable' });
  expect(log.lines.at(-1)?.fields).toMatchObject(fields);
});

it('The start says that tokens are checked only here, once the keys are there', async () => {
  expect(await signIn().probe()).toEqual({
    ok: true,
    found: 'the keys are there; tokens are checked only here, and each counts until it expires',
    remedy: null,
  });
  expect(provider.asked.slice(askedBefore)).toEqual([DISCOVERY, '/keys']);
});

it('The start names AUTH_USERINFO=off if there is no user information to ask for', async () => {
  const { found, remedy } = await signIn({ userinfo: 'on' }).probe();
  expect(found).toBe('the discovery document names no usable userinfo_endpoint');
  expect(remedy).toContain('AUTH_USERINFO=off');
});

it('A gate that is not there cannot decide alone', () => {
  expect(() => signIn({ audiences: [] })).toThrow(/audiences must name/);
});
