// The question of `check --online`: what a made-up token tells of the settings, and what the
// operator is told to do.

import { describe, expect, it } from 'vitest';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { answer, type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { openSigningProvider, signInSettings } from '../support/signing-provider.js';

const ENDPOINT = /AUTH_USERINFO_URL to the endpoint that tells whose token it is/;
const REACHABLE = /is up.*NODE_EXTRA_CA_CERTS/;

async function findingOf(behaviour: Behaviour) {
  await using stub = await openIdentityStub(behaviour);
  const settings = signInSettings({ userinfoUrl: stub.url });
  const finding = await openSignIn({ settings }).probe();
  expect(stub.asked).toHaveLength(1);
  return finding;
}

it.each<[string, Behaviour]>([
  ['401', answer(401, { error: 'invalid_token' })],
  ['an inactive token', answer(200, { active: false })],
])('A provider that refuses a made-up token is good: %s', async (_name, behaviour) => {
  expect(await findingOf(behaviour)).toMatchObject({ ok: true, remedy: null });
});

describe('A finding names the answer and its remedy', () => {
  it.each<[string, Behaviour, RegExp, RegExp]>([
    [
      'a redirect',
      answer(301, '', { Location: 'https://x.example/?k=canary' }),
      /^status 301, a redirect to https:\/\/x\.example\/, /,
      ENDPOINT,
    ],
    ['nothing there', answer(404), /^status 404, instead of/, ENDPOINT],
    ['another method', answer(405), /^status 405/, /AUTH_USERINFO_METHOD/],
    ['the discovery document', answer(200, { issuer: 'x' }), /without a usable subject/, ENDPOINT],
    ['an account', answer(200, { sub: 'canary' }), /every token opens an account/, ENDPOINT],
    ['a failure', answer(502), /^status 502$/, REACHABLE],
    ['too many requests', answer(429), /^status 429$/, REACHABLE],
    ['a broken connection', (_token, response) => response.destroy(), /ECONNRESET/, REACHABLE],
  ])('for %s', async (_name, behaviour, found, remedy) => {
    const finding = await findingOf(behaviour);
    expect(finding).toMatchObject({ ok: false });
    expect(finding.found).toMatch(found);
    expect(finding.remedy).toMatch(remedy);
    expect(JSON.stringify(finding)).not.toContain('canary');
  });

  it('for a network error of the discovery document', async () => {
    const cause = Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const settings = signInSettings({ issuer: 'https://id.example', audiences: ['shop'] });
    const { found, remedy } = await openSignIn({ settings, fetch }).probe();
    expect(found).toBe('could not fetch the discovery document: CERT_HAS_EXPIRED');
    expect(remedy).toMatch(REACHABLE);
  });
});

it('The discovery document, the keys and the endpoint are checked, and the spelling of the issuer', async () => {
  await using provider = await openSigningProvider();
  const { issuer, asked } = provider;
  provider.broken.set('/me', 401);
  const settings = signInSettings({ issuer, audiences: ['shop'] });
  expect(await openSignIn({ settings }).probe()).toMatchObject({ ok: true });
  expect(asked).toEqual(['/.well-known/openid-configuration', '/keys', '/me']);
  const misspelled = signInSettings({ issuer: `${issuer}/` });
  const { found, remedy } = await openSignIn({ settings: misspelled }).probe();
  expect(found).toContain(`names another issuer: "${issuer}"`);
  expect(remedy).toContain('AUTH_ISSUER');
});
