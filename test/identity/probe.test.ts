// The question of `check --online`: what a made-up token tells of the settings, and what the
// operator is told to do.

import { describe, expect, it } from 'vitest';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { answer, type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { openSigningProvider, signInSettings } from '../support/signing-provider.js';

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
  expect(await findingOf(behaviour)).toEqual({ ok: true, found: 'a made-up token is refused' });
});

describe('Any other answer is reported with what the operator can do', () => {
  it.each<[string, Behaviour, RegExp]>([
    ['a redirect', answer(301, '', { Location: 'https://x.example/?k=canary' }), /^status 301, /],
    ['nothing there', answer(404), /^status 404, not a refusal/],
    ['the discovery document', answer(200, { issuer: 'x' }), /without a usable subject/],
    ['an account', answer(200, { sub: 'canary' }), /every token opens an account/],
    ['too many requests', answer(429), /^status 429/],
    ['a broken connection', (_token, response) => response.destroy(), /ECONNRESET/],
  ])('%s', async (_name, behaviour, words) => {
    const { ok, found } = await findingOf(behaviour);
    expect(ok).toBe(false);
    expect(found).toMatch(words);
    expect(found).toMatch(/is up.*NODE_EXTRA_CA_CERTS.*AUTH_USERINFO_URL.*AUTH_USERINFO_METHOD/);
    expect(found).not.toContain('canary');
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
  const { found } = await openSignIn({ settings: misspelled }).probe();
  expect(found).toContain(`names another issuer; set AUTH_ISSUER to "${issuer}"`);
});
