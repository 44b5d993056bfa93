// The provider's documents: how they are asked for, how many callers share one fetch, how long they
// are kept, and which addresses in them are used.

import { describe, expect, it } from 'vitest';
import { CachedDocument } from '../../src/core/identity/documents.js';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { signInSettings } from '../support/signing-provider.js';

const URL = 'https://id.example.com/keys';
const { signal } = new AbortController();

/** A document whose fetches are kept with their options; each answers with its number. */
function opened(joined = true, isDown = () => false) {
  const asked: unknown[] = [];
  const clock = { now: 10_000_000 };
  const document = new CachedDocument({
    name: 'the keys',
    url: async () => URL,
    read: (json) => json,
    fetch: async (_, options) => {
      asked.push(options);
      if (isDown()) return new Response(null, { status: 503 });
      return Response.json(asked.length);
    },
    clock: () => clock.now,
    joined,
  });
  return { asked, clock, document };
}

describe('A document of the provider', () => {
  it.each([
    [1, true],
    [2, false],
  ])(
    'is asked for as JSON %i times for two callers at once, with sharing %s',
    async (times, joined) => {
      const { asked, document } = opened(joined);
      await Promise.all([document.get(signal), document.get(signal)]);
      // A redirect is not followed.
      const question = { headers: { accept: 'application/json' }, redirect: 'manual', signal };
      expect(asked).toEqual(Array(times).fill(question));
    },
  );

  it('is not fetched again for 1 s after a failure, and for 10 s where an older one serves', async () => {
    let isDown = true;
    const { asked, clock, document } = opened(true, () => isDown);
    const failure = 'could not fetch the keys: status 503';
    const answers: unknown[] = [];
    const ask = async (laterMs: number) => {
      clock.now += laterMs;
      const answer = await document.get(signal).catch((error) => error.message);
      answers.push([answer, asked.length]);
    };
    for (const later of [0, 999, 1]) await ask(later);
    isDown = false;
    await ask(1_000);
    isDown = true;
    for (const later of [600_000, 9_999, 1]) await ask(later);
    const failures = [1, 1, 2].map((fetches) => [failure, fetches]);
    expect(answers).toEqual([...failures, ...[3, 4, 4, 5].map((fetches) => [3, fetches])]);
    // Also for a key that the older one does not hold.
    await expect(document.get(signal, 5_000)).rejects.toThrow(failure);
    expect(asked).toHaveLength(5);
  });
});

it.each(['http://id.example/me', 'ftp://id.example/me', 'me'])(
  'The token of an issuer on https is never sent to %s',
  async (userinfo_endpoint) => {
    const issuer = 'https://id.example';
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return Response.json({ issuer, userinfo_endpoint, sub: 'a' });
    };
    const { identity } = openSignIn({ settings: signInSettings({ issuer }), fetch });
    expect(await identity.identify('token')).toEqual({ status: 'unavailable' });
    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
  },
);
