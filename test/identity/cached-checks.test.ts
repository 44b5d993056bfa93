// Contract, "Authentication", between the requests and the provider: which
// checks are shared, what is remembered, for how long, and how much of it.

import { describe, expect, it } from 'vitest';
import { cachedChecks } from '../../src/core/identity/cached-checks.js';
import type { IdentityProvider } from '../../src/core/identity/identity-provider.js';
import { userinfoIdentity } from '../../src/core/identity/userinfo.js';
import { openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { HeldProvider, INVALID, identified, promptly, UNAVAILABLE } from './held-provider.js';

/** Lets everything that is ready to run, run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe.each([
  ['without a memory', 0],
  ['with a memory', 60],
])('Checks in flight, %s', (_name, cacheSeconds) => {
  it('are joined for equal tokens', async () => {
    const provider = new HeldProvider();
    const checks = cachedChecks(provider, { cacheSeconds });
    const open = [checks.identify('a'), checks.identify('a'), checks.identify('a')];
    await expect.poll(() => provider.asked).toEqual(['a']);
    await settled();
    expect(provider.asked).toEqual(['a']);
    provider.answer(identified('user-1'));
    expect(await Promise.all(open)).toEqual(Array(3).fill(identified('user-1')));
  });

  it('are joined with a real endpoint', async () => {
    const stub = await openIdentityStub();
    try {
      const checks = cachedChecks(userinfoIdentity({ url: stub.url }), { cacheSeconds });
      const tokens = Array.from({ length: 40 }, (_, i) => tokenOf(`user-${i % 2}`));
      const answers = await Promise.all(tokens.map((token) => checks.identify(token)));
      expect(answers).toEqual(tokens.map((_, i) => identified(`user-${i % 2}`)));
      expect([...stub.asked].sort()).toEqual([tokenOf('user-0'), tokenOf('user-1')]);
    } finally {
      await stub.close();
    }
  });

  it('are not joined for tokens that differ, also in case only', async () => {
    const { asked, provider } = promptly(identified);
    const checks = cachedChecks(provider, { cacheSeconds });
    const tokens = ['a', 'A', 'a.', 'b'];
    const answers = await Promise.all(tokens.map((token) => checks.identify(token)));
    expect(asked.sort()).toEqual([...tokens].sort());
    expect(answers).toEqual(tokens.map(identified));
  });

  it.each([
    ['a refusal', 2_000, INVALID],
    ['a failure', 0, UNAVAILABLE],
  ])('share %s and forget it after %i ms', async (_name, ms, failure) => {
    const clock = { now: 1_000_000 };
    const provider = new HeldProvider();
    const checks = cachedChecks(provider, {
      cacheSeconds,
      clock: () => clock.now,
      digest: (token) => token,
    });
    const open = [checks.identify('a'), checks.identify('a')];
    provider.answer(failure);
    expect(await Promise.all(open)).toEqual([failure, failure]);
    if (ms > 0) {
      clock.now += ms - 1;
      expect(await checks.identify('a')).toEqual(failure);
      expect(provider.asked).toEqual(['a']);
      clock.now += 1;
    }
    const next = checks.identify('a');
    expect(provider.asked).toEqual(['a', 'a']);
    provider.answer(identified('user-1'));
    expect(await next).toEqual(identified('user-1'));
  });

  it('that reject against their promise do not affect later checks', async () => {
    const provider = new HeldProvider();
    const checks = cachedChecks(provider, { cacheSeconds, digest: (token) => token });
    const open = Promise.allSettled([checks.identify('a'), checks.identify('a')]);
    provider.fail(new Error('broken'));
    expect((await open).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = checks.identify('a');
    expect(provider.asked).toEqual(['a', 'a']);
    provider.answer(identified('user-1'));
    expect(await next).toEqual(identified('user-1'));
  });

  it('that throw do not affect later checks', async () => {
    let broken = true;
    const { asked, provider } = promptly(identified);
    const throwing: IdentityProvider = {
      identify(token) {
        if (broken) throw new Error('broken');
        return provider.identify(token);
      },
    };
    const checks = cachedChecks(throwing, { cacheSeconds });
    await expect((async () => checks.identify('a'))()).rejects.toThrow('broken');
    broken = false;
    expect(await checks.identify('a')).toEqual(identified('a'));
    expect(asked).toEqual(['a']);
  });

  it('that never end are joined for a limited time', async () => {
    const clock = { now: 1_000_000 };
    const provider = new HeldProvider();
    const checks = cachedChecks(provider, {
      cacheSeconds,
      clock: () => clock.now,
      digest: (token) => token,
    });
    void checks.identify('a');
    clock.now += 3_999;
    void checks.identify('a');
    expect(provider.asked).toHaveLength(1);
    clock.now += 1;
    const next = checks.identify('a');
    expect(provider.asked).toHaveLength(2);
    // The lost question's answer, late: the newer question is still there to be joined.
    provider.answer(INVALID);
    await settled();
    const joined = checks.identify('a');
    expect(provider.asked).toHaveLength(2);
    provider.answer(identified('user-1'));
    expect(await Promise.all([next, joined])).toEqual(Array(2).fill(identified('user-1')));
  });
});

describe('Without a memory', () => {
  it('every request after an answer is checked again', async () => {
    const { asked, provider } = promptly(identified);
    const checks = cachedChecks(provider, { cacheSeconds: 0, clock: () => 0 });
    for (let i = 0; i < 5; i++) await checks.identify('a');
    expect(asked).toHaveLength(5);
  });
});
