// What the provider's documents may say, and answers that come seldom: addresses and
// keys that are not used, signatures of every kind, errors without a code.

import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cachedChecks } from '../../src/core/identity/cached-checks.js';
import { networkCode } from '../../src/core/identity/network-code.js';
import { verdictOf } from '../../src/core/identity/provider-answer.js';
import { openSignIn, type SignInSettings } from '../../src/core/identity/sign-in.js';
import { UserinfoEndpoint } from '../../src/core/identity/userinfo-endpoint.js';
import { keptLog } from '../support/kept-log.js';
import { signInSettings } from '../support/sign-in-settings.js';
import { HeldProvider, identified } from './held-provider.js';

const ISSUER = 'https://id.example';
const DOCUMENT = '/.well-known/openid-configuration';

/** Sign-in with a provider that answers these paths; other paths of any host never answer. */
function signIn(answers: Readonly<Record<string, unknown>>, changes: Partial<SignInSettings> = {}) {
  const asked: string[] = [];
  const log = keptLog();
  const settings = signInSettings({ issuer: ISSUER, ...changes });
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    asked.push(String(input));
    const answer = answers[new URL(String(input)).pathname];
    if (answer !== undefined) return Response.json(answer);
    return new Promise<never>((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  };
  return { asked, log, ...openSignIn({ settings, fetch, log }) };
}

const documentWith = (endpoint: string) => ({
  issuer: ISSUER,
  userinfo_endpoint: endpoint,
  jwks_uri: `${ISSUER}/keys`,
});

it.each(['http://id.example/me', 'http://other.example/me', 'ftp://id.example/me', 'me'])(
  'The token of an issuer on https is never sent to %s',
  async (endpoint) => {
    const { asked, identity } = signIn({ [DOCUMENT]: documentWith(endpoint), '/me': { sub: 'a' } });
    expect(await identity.identify('token')).toEqual({ status: 'unavailable' });
    expect(asked).toEqual([ISSUER + DOCUMENT]);
  },
);

describe('A key set', () => {
  it('without keys refuses nobody: the service cannot judge the token', async () => {
    const documents = { [DOCUMENT]: documentWith(`${ISSUER}/me`), '/keys': { keys: [] } };
    const { log, identity } = signIn(documents, { audiences: ['shop'] });
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT({ aud: 'shop' })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime('5m')
      .sign(privateKey);
    expect(await identity.identify(token)).toEqual({ status: 'unavailable' });
    expect(log.lines).toMatchObject([{ fields: { reason: 'the key set holds no keys' } }]);
  });

  const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
  it.each([...RSA, 'ES256', 'ES384', 'ES512', 'EdDSA'])('may sign with %s', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg, kid: 'first' };
    const documents = {
      [DOCUMENT]: documentWith(`${ISSUER}/me`),
      '/keys': { keys: [jwk] },
      '/me': { sub: 'asha' },
    };
    const { identity } = signIn(documents, { audiences: ['shop'] });
    const token = await new SignJWT({ aud: 'shop', iss: ISSUER })
      .setProtectedHeader({ alg, kid: 'first' })
      .setExpirationTime('5m')
      .sign(privateKey);
    expect(await identity.identify(token)).toMatchObject({ subject: 'asha' });
  });
});

it.each([
  [{ error: 'expired' }, 'refused'],
  [{ error: true }, 'refused'],
  [{ error: 5 }, 'refused'],
  [{ error: { code: 1 } }, 'refused'],
  [{ error: ['x'] }, 'refused'],
  [{ error: {} }, 'unusable'],
  [{ error: [] }, 'unusable'],
  [{ error: '' }, 'unusable'],
  [{ error: 0 }, 'unusable'],
  [{ error: null }, 'unusable'],
])('An answer %j without a subject is %s', async (body, kind) => {
  expect((await verdictOf(Response.json(body), ['sub'])).kind).toBe(kind);
});

it('A check that was asked before the clock was set back is not joined', async () => {
  const provider = new HeldProvider();
  const time = { now: 1_000_000 };
  const checks = cachedChecks(provider, { cacheSeconds: 0, clock: () => time.now });
  void checks.identify('a');
  await expect.poll(() => provider.asked).toEqual(['a']);
  time.now -= 1;
  const second = checks.identify('a');
  await expect.poll(() => provider.asked).toEqual(['a', 'a']);
  provider.answer(identified('user-1'));
  provider.answer(identified('user-1'));
  expect(await second).toEqual(identified('user-1'));
});

it('A wrong path to the subject is refused at once', () => {
  const open = () => new UserinfoEndpoint({ url: ISSUER, subjectField: 'a..b' });
  expect(open).toThrow(/subjectField is "a\.\.b"; it must be a dotted path or a JSON Pointer/);
});

it.each([
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new TypeError('fetch failed', { cause: { code: 'EAI_AGAIN' } }), 'EAI_AGAIN'],
  [Object.assign(new RangeError('x'), { code: 'not a code' }), 'RangeError'],
  ['a text', 'network error'],
  [null, 'network error'],
  [undefined, 'network error'],
])('The code of the network error %o is %s', (error, code) => {
  expect(networkCode(error)).toBe(code);
});

describe('A provider that never answers', () => {
  afterEach(() => void vi.useRealTimers());

  it('is given up after 4 s, and the log says so', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asked, log, identity } = signIn(
      {},
      { userinfoUrl: `${ISSUER}/never`, issuer: undefined },
    );
    const answer = identity.identify('token');
    await expect.poll(() => asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await answer).toEqual({ status: 'unavailable' });
    const reason = 'no answer within 4000 ms';
    expect(log.lines.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ reason }),
    );
  });
});
