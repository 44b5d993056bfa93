// The question at the start: what a made-up token tells of the settings, and
// what the operator is told to do.

import { describe, expect, it } from 'vitest';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { answer, type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { openSigningProvider, signInSettings } from '../support/signing-provider.js';

const ENDPOINT = /AUTH_USERINFO_URL to the endpoint that tells whose token it is/;
const HTML = { 'Content-Type': 'text/html' };
const redirectTo = (location: string) => answer(301, '', { Location: location });

async function findingOf(behaviour: Behaviour) {
  await using stub = await openIdentityStub(behaviour, { seesStart: true });
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

describe('Every other answer is reported with its remedy', () => {
  it.each<[string, Behaviour, RegExp, RegExp]>([
    ['a redirect', redirectTo('https://x.example/?k=canary'), /to .*x\.example\/, /, ENDPOINT],
    ['a missing slash', redirectTo('/userinfo/'), /redirects to \/userinfo\/, /, ENDPOINT],
    ['a redirect to nowhere', answer(300), /status 300.*redirects to elsewhere/, ENDPOINT],
    ['nothing there', answer(404), /status 404/, ENDPOINT],
    ['another method', answer(405), /takes another method/, /AUTH_USERINFO_METHOD$/],
    ['a page', answer(200, '<html>', HTML), /page for people/, ENDPOINT],
    ['the discovery document', answer(200, { issuer: 'x' }), /without a usable subject/, ENDPOINT],
    ['an account', answer(200, { sub: 'canary' }), /every token opens an account/, ENDPOINT],
    ['another refusal', answer(418), /status 418, instead of a refusal/, ENDPOINT],
    ['a failure', answer(502), /^status 502$/, /is up/],
    ['too many requests', answer(429), /^status 429$/, /is up/],
    ['a broken connection', (_token, response) => response.destroy(), /ECONNRESET/, /is up/],
  ])('%s', async (_name, behaviour, found, remedy) => {
    const finding = await findingOf(behaviour);
    expect(finding).toMatchObject({ ok: false });
    expect(finding.found).toMatch(found);
    expect(finding.remedy).toMatch(remedy);
    expect(JSON.stringify(finding)).not.toContain('canary');
  });

  it.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
    ['CERT_HAS_EXPIRED', /renew it/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /renew it/],
    ['ECONNREFUSED', /is up/],
  ])('the network says %s', async (code, remedy) => {
    const failing = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
    };
    const settings = signInSettings({ issuer: 'https://id.example', audiences: ['shop'] });
    const finding = await openSignIn({ settings, fetch: failing }).probe();
    expect(finding.ok).toBe(false);
    expect(finding.found).toContain(code);
    expect(finding.remedy).toMatch(remedy);
    expect(finding.away ?? false).toBe(code === 'ECONNREFUSED');
  });
});

describe('With an issuer', () => {
  it.each([
    [503, /is up/, true],
    [404, /^set AUTH_ISSUER/, undefined],
  ])('whose discovery document is answered %i', async (status, remedy, away) => {
    const send = async () => new Response('', { status });
    const settings = signInSettings({ issuer: 'https://id.example' });
    const finding = await openSignIn({ settings, fetch: send }).probe();
    expect(finding.found).toBe(`could not fetch the discovery document: status ${status}`);
    expect(finding.remedy).toMatch(remedy);
    expect(finding.away).toBe(away);
  });

  it('the discovery document, the keys and the endpoint are checked, and its spelling', async () => {
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
});

it('A stop does not wait for the answer to the made-up token', async () => {
  await using stub = await openIdentityStub(() => {}, { seesStart: true });
  const stop = new AbortController();
  const asked = openSignIn({ settings: signInSettings({ userinfoUrl: stub.url }) });
  const finding = asked.probe(stop.signal);
  await expect.poll(() => stub.asked).toHaveLength(1);
  stop.abort();
  const { ok, found, remedy } = await finding;
  expect([ok, found]).toEqual([false, 'no answer within 4000 ms']);
  expect(remedy).toMatch(/that this machine reaches it/);
});
