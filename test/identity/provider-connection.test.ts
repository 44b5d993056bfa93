// How a request is sent on Node: over kept-alive connections, and once more if the provider closed
// one; never over a plain connection; and what `check --online` reports for a made-up token.

import http, { createServer } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { answer, type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { listenLocally } from '../support/listen.js';
import { openSigningProvider } from './signing-provider.js';

/** Responds to the first request of each connection; at the next one closes it, or responds again. */
async function openProvider(isDropping: (isUsed: boolean) => boolean) {
  const seen: string[] = [];
  const used = new WeakSet<object>();
  const server = createServer((request, response) => {
    const isUsed = used.has(request.socket);
    seen.push(isUsed ? 'used' : 'fresh');
    used.add(request.socket);
    if (isDropping(isUsed)) request.socket.destroy();
    else response.end('{"sub":"user-1"}');
  });
  const { origin, close } = await listenLocally(server);
  const { identity } = openSignIn({ settings: { userinfoUrl: origin } });
  const statusOf = async (token: string) => (await identity.identify(token)).status;
  return { seen, statusOf, [Symbol.asyncDispose]: close };
}

describe('A kept-alive connection', () => {
  it.each<[string, (isUsed: boolean) => boolean]>([
    ['is used again', () => false],
    ['that the provider closes as a request arrives is replaced by a fresh one', (used) => used],
  ])('%s', async (_name, isDropping) => {
    await using provider = await openProvider(isDropping);
    for (let i = 0; i < 20; i++) expect(await provider.statusOf(`${i}`)).toBe('identified');
    expect(provider.seen).toContain('used');
    if (!isDropping(true)) expect(provider.seen.indexOf('fresh', 1)).toBe(-1);
  });

  it('is replaced by a fresh one only once', async () => {
    let isDropping = false;
    await using provider = await openProvider(() => isDropping);
    await provider.statusOf('a');
    isDropping = true;
    expect(await provider.statusOf('b')).toBe('unavailable');
    expect(provider.seen).toEqual(['fresh', 'used', 'fresh']);
  });
});

it('Each address of a provider gets a second for its handshake, not Node’s quarter', async () => {
  const request = vi.spyOn(http, 'request');
  await using provider = await openProvider(() => false);
  expect(await provider.statusOf('a')).toBe('identified');
  expect(request.mock.calls[0]?.[1]).toMatchObject({ autoSelectFamilyAttemptTimeout: 1_000 });
});

it('The token of an issuer on https is never sent over a plain connection, not even to the same host', async () => {
  const issuer = 'https://id.example';
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json({ issuer, userinfo_endpoint: 'http://id.example/me', sub: 'a' });
  };
  const { identity } = openSignIn({ settings: { issuer }, fetch });
  expect(await identity.identify('token')).toEqual({ status: 'unavailable' });
  expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
});

describe('`check --online`', () => {
  const remedy = /; .*is up.*NODE_EXTRA_CA_CERTS.*AUTH_USERINFO_URL.*AUTH_USERINFO_METHOD/.source;
  it.each<[string, Behaviour, string]>([
    ['a refusal', answer(401, { error: 'invalid_token' }), '^a made-up token is refused$'],
    ['a redirect', answer(301, '', { Location: 'http://x/?canary' }), `status 301${remedy}`],
    ['the discovery document', answer(200, { issuer: 'x' }), `without a usable subject.*${remedy}`],
    ['an account', answer(200, { sub: 'canary' }), `every token is accepted${remedy}`],
    ['no answer', (_token, response) => response.destroy(), `token: ECONNRESET${remedy}`],
  ])('reports %s to a made-up token, and what the operator can do', async (_, behaviour, words) => {
    await using stub = await openIdentityStub(behaviour);
    const finding = openSignIn({ settings: { userinfoUrl: stub.url } }).probe();
    const found = await finding.catch((error: Error) => error.message);
    expect(found).toMatch(new RegExp(words));
    expect(found).not.toContain('canary');
  });

  it('fetches the discovery document and the keys, calls the endpoint, and spells the issuer', async () => {
    await using provider = await openSigningProvider();
    const { issuer, paths, broken } = provider;
    const probe = (settings = {}) =>
      openSignIn({ settings: { issuer, audiences: ['shop'], ...settings } }).probe();
    broken.set('/me', 401);
    await probe();
    const documents = ['/.well-known/openid-configuration', '/keys'];
    expect(paths.splice(0)).toEqual([...documents, '/me']);
    const alone = 'the keys were fetched; each token is valid until it expires';
    expect(await probe({ userinfo: 'off' })).toBe(alone);
    expect(paths).toEqual(documents);
    const misspelled = probe({ issuer: `${issuer}/` });
    await expect(misspelled).rejects.toThrow(`names "${issuer}"; set AUTH_ISSUER to`);
    provider.metadata = { userinfo_endpoint: undefined };
    await expect(probe()).rejects.toThrow(/names no usable userinfo_endpoint; .*AUTH_USERINFO=off/);
  });
});
