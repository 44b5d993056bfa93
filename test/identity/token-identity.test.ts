// Sign-in with AUTH_USERINFO=off, for providers that only issue JWTs. Each stand-in has the
// discovery document and the claims that the provider's public documentation names.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSignIn, type SignInSettings } from '../../src/core/identity/sign-in.js';
import { type KeptLog, keptLog } from '../support/kept-log.js';
import { signInSettings } from '../support/sign-in-settings.js';
import { openSigningProvider, type SigningProvider } from '../support/signing-provider.js';

interface StandIn {
  readonly name: string;
  /** Members that the discovery document has beside, or in place of, those of every provider. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly audience: string;
  readonly subjectField: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

const STAND_INS: readonly StandIn[] = [
  {
    name: "Firebase's ID token",
    metadata: { userinfo_endpoint: undefined },
    audience: 'salon-tz',
    subjectField: 'sub',
    subject: 'Xk893u23H9SI893abcdefghijk',
    claims: {
      aud: 'salon-tz',
      user_id: 'Xk893u23H9SI893abcdefghijk',
      sub: 'Xk893u23H9SI893abcdefghijk',
      phone_number: '+255713445210',
      firebase: { identities: { phone: ['+255713445210'] }, sign_in_provider: 'phone' },
    },
  },
  {
    name: "Clerk's session token with an audience added",
    metadata: {},
    audience: 'salon-api',
    subjectField: 'sub',
    subject: 'user_2ZfM1yV',
    claims: {
      aud: 'salon-api',
      azp: 'https://salon.example',
      sid: 'sess_2ZfM8',
      sub: 'user_2ZfM1yV',
      v: 2,
    },
  },
  {
    name: "Cognito's ID token",
    metadata: {
      userinfo_endpoint: 'https://salon.auth.eu-west-1.amazoncognito.com/oauth2/userInfo',
    },
    audience: '1example23456789',
    subjectField: 'sub',
    subject: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    claims: {
      aud: '1example23456789',
      sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      token_use: 'id',
      'cognito:username': 'amina',
    },
  },
  {
    name: "Entra's access token for an API of one's own",
    metadata: { userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo' },
    audience: '11112222-3333-4444-5555-666677778888',
    subjectField: 'oid',
    subject: 'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb',
    claims: {
      aud: '11112222-3333-4444-5555-666677778888',
      azp: '00001111-aaaa-2222-bbbb-3333cccc4444',
      oid: 'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb',
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      tid: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
      scp: 'records',
      ver: '2.0',
    },
  },
  {
    name: "Google's ID token",
    metadata: { userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo' },
    audience: '1234987819200.apps.googleusercontent.com',
    subjectField: 'sub',
    subject: '10769150350006150715113082367',
    claims: {
      aud: '1234987819200.apps.googleusercontent.com',
      azp: '1234987819200.apps.googleusercontent.com',
      sub: '10769150350006150715113082367',
      email: 'amina@example.com',
      email_verified: true,
    },
  },
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
});
afterAll(() => provider.close());

/** The paths that the provider was asked for in this test. */
function asked(): readonly string[] {
  return provider.asked.slice(askedBefore);
}

function signIn(standIn: StandIn, changes: Partial<SignInSettings> = {}) {
  provider.metadata = standIn.metadata;
  const settings = signInSettings({
    userinfo: 'off',
    subjectField: standIn.subjectField,
    issuer: provider.issuer,
    audiences: [standIn.audience],
    ...changes,
  });
  return openSignIn({ settings, log, clock: () => provider.now });
}

describe.each(STAND_INS)('$name', (standIn) => {
  const { claims, subject } = standIn;

  it('opens the account that it names, until its end, and the provider is not asked', async () => {
    const identity = await signIn(standIn).identity.identify(await provider.token(claims));
    expect(identity).toEqual({ status: 'identified', subject });
    expect(asked()).toEqual([DISCOVERY, '/keys']);
    expect(log.lines).toEqual([]);
  });
});

describe('A good token that names no account', () => {
  const [firebase] = STAND_INS;
  if (firebase === undefined) throw new Error('no stand-in');

  it('is answered as unavailable, and the log names the field and the claims there are', async () => {
    const { identity } = signIn(firebase, { subjectField: 'oid' });
    const token = await provider.token({ aud: firebase.audience });
    expect(await identity.identify(token)).toEqual({ status: 'unavailable' });
    expect(log.lines.at(-1)?.fields).toEqual({
      reason: 'a token without a usable subject',
      field: 'oid',
      members: 'iss, aud, sub, exp',
    });
  });

  it('is answered as unavailable where its subject is over 1,024 bytes', async () => {
    const { identity } = signIn(firebase);
    const token = await provider.token({ aud: firebase.audience, sub: 'x'.repeat(1_025) });
    expect(await identity.identify(token)).toEqual({ status: 'unavailable' });
    expect(log.lines.at(-1)?.fields).toMatchObject({ reason: 'a subject over 1024 bytes' });
  });
});

describe('The start', () => {
  const [firebase] = STAND_INS;
  if (firebase === undefined) throw new Error('no stand-in');

  it('says that tokens are checked only here, once the keys are there', async () => {
    expect(await signIn(firebase).probe()).toEqual({
      ok: true,
      found: 'the keys are there; tokens are checked only here, and each counts until its end',
      remedy: null,
    });
    expect(asked()).toEqual([DISCOVERY, '/keys']);
  });

  it('names AUTH_USERINFO=off where a provider without user information is to be asked', async () => {
    const { found, remedy } = await signIn(firebase, { userinfo: 'on' }).probe();
    expect(found).toBe('the discovery document names no usable userinfo_endpoint');
    expect(remedy).toContain('AUTH_USERINFO=off');
  });

  it('refuses to decide by a gate that is not there', () => {
    expect(() => signIn(firebase, { audiences: [] })).toThrow(/audiences must name/);
  });
});
