// Contract, "Authentication", between the requests and the provider: which
// checks are shared, what is remembered, for how long, and how much of it.

import { describe, expect, it } from 'vitest';
import type { Identity, IdentityProvider } from '../../src/identity/identity-provider.js';
import { sharedChecks } from '../../src/identity/shared-checks.js';
import { userinfoIdentity } from '../../src/identity/userinfo.js';
import { openIdentityStub, tokenOf } from '../support/identity-stub.js';

const INVALID: Identity = { status: 'invalid' };
const UNAVAILABLE: Identity = { status: 'unavailable' };
const ENTRIES_MAX = 10_000;

function identified(subject: string): Identity {
  return { status: 'identified', subject };
}

/** A provider whose answers the test gives, one question at a time or all the same way. */
class HeldProvider implements IdentityProvider {
  readonly asked: string[] = [];
  readonly #held: { resolve(identity: Identity): void; reject(error: Error): void }[] = [];

  identify(token: string): Promise<Identity> {
    this.asked.push(token);
    return new Promise((resolve, reject) => this.#held.push({ resolve, reject }));
  }

  /** Answers the oldest open question. */
  answer(identity: Identity): void {
    this.#held.shift()?.resolve(identity);
  }

  fail(error: Error): void {
    this.#held.shift()?.reject(error);
  }
}

function promptly(answers: (token: string) => Identity) {
  const asked: string[] = [];
  const provider: IdentityProvider = {
    async identify(token) {
      asked.push(token);
      return answers(token);
    },
  };
  return { asked, provider };
}

/** Lets everything that is ready to run, run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe.each([
  ['without a memory', 0],
  ['with a memory', 60],
])('Checks in flight, %s', (_name, cacheSeconds) => {
  it('are joined where the token is the same', async () => {
    const provider = new HeldProvider();
    const checks = sharedChecks(provider, { cacheSeconds });
    const open = [checks.identify('a'), checks.identify('a'), checks.identify('a')];
    await expect.poll(() => provider.asked).toEqual(['a']);
    await settled();
    expect(provider.asked).toEqual(['a']);
    provider.answer(identified('user-1'));
    expect(await Promise.all(open)).toEqual(Array(3).fill(identified('user-1')));
  });

  it('are joined where the provider is a real endpoint', async () => {
    const stub = await openIdentityStub();
    try {
      const checks = sharedChecks(userinfoIdentity({ url: stub.url }), { cacheSeconds });
      const tokens = Array.from({ length: 40 }, (_, i) => tokenOf(`user-${i % 2}`));
      const answers = await Promise.all(tokens.map((token) => checks.identify(token)));
      expect(answers).toEqual(tokens.map((_, i) => identified(`user-${i % 2}`)));
      expect([...stub.asked].sort()).toEqual([tokenOf('user-0'), tokenOf('user-1')]);
    } finally {
      await stub.close();
    }
  });

  it('are not joined where the tokens differ, be it in case', async () => {
    const { asked, provider } = promptly(identified);
    const checks = sharedChecks(provider, { cacheSeconds });
    const tokens = ['a', 'A', 'a.', 'b'];
    const answers = await Promise.all(tokens.map((token) => checks.identify(token)));
    expect(asked.sort()).toEqual([...tokens].sort());
    expect(answers).toEqual(tokens.map(identified));
  });

  it.each([INVALID, UNAVAILABLE])('share $status and forget it at once', async (failure) => {
    const provider = new HeldProvider();
    const checks = sharedChecks(provider, { cacheSeconds, digest: (token) => token });
    const open = [checks.identify('a'), checks.identify('a')];
    provider.answer(failure);
    expect(await Promise.all(open)).toEqual([failure, failure]);
    const next = checks.identify('a');
    expect(provider.asked).toEqual(['a', 'a']);
    provider.answer(identified('user-1'));
    expect(await next).toEqual(identified('user-1'));
  });

  it('that break the promise never to reject do no harm to those that follow', async () => {
    const provider = new HeldProvider();
    const checks = sharedChecks(provider, { cacheSeconds, digest: (token) => token });
    const open = Promise.allSettled([checks.identify('a'), checks.identify('a')]);
    provider.fail(new Error('broken'));
    expect((await open).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = checks.identify('a');
    expect(provider.asked).toEqual(['a', 'a']);
    provider.answer(identified('user-1'));
    expect(await next).toEqual(identified('user-1'));
  });

  it('that throw do no harm to those that follow', async () => {
    let broken = true;
    const { asked, provider } = promptly(identified);
    const throwing: IdentityProvider = {
      identify(token) {
        if (broken) throw new Error('broken');
        return provider.identify(token);
      },
    };
    const checks = sharedChecks(throwing, { cacheSeconds });
    await expect((async () => checks.identify('a'))()).rejects.toThrow('broken');
    broken = false;
    expect(await checks.identify('a')).toEqual(identified('a'));
    expect(asked).toEqual(['a']);
  });

  it('that never end are not joined for ever', async () => {
    const clock = { now: 1_000_000 };
    const provider = new HeldProvider();
    const checks = sharedChecks(provider, {
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
  it('every request that comes after an answer is checked', async () => {
    const { asked, provider } = promptly(identified);
    const checks = sharedChecks(provider, { cacheSeconds: 0, clock: () => 0 });
    for (let i = 0; i < 5; i++) await checks.identify('a');
    expect(asked).toHaveLength(5);
  });
});

describe('With a memory', () => {
  const LIFETIME_MS = 60_000;

  function remembering(answers: (token: string) => Identity = identified) {
    const clock = { now: 1_000_000 };
    const { asked, provider } = promptly(answers);
    const checks = sharedChecks(provider, {
      cacheSeconds: LIFETIME_MS / 1000,
      clock: () => clock.now,
      digest: (token) => `#${token}`,
    });
    return { asked, checks, clock };
  }

  it('a success is believed for the time that is set, and not a millisecond longer', async () => {
    const { asked, checks, clock } = remembering();
    await checks.identify('a');
    clock.now += LIFETIME_MS - 1;
    expect(await checks.identify('a')).toEqual(identified('a'));
    expect(asked).toHaveLength(1);
    clock.now += 1;
    expect(await checks.identify('a')).toEqual(identified('a'));
    expect(asked).toHaveLength(2);
  });

  it('a success is not believed longer for being used', async () => {
    const { asked, checks, clock } = remembering();
    await checks.identify('a');
    for (let i = 0; i < 4; i++) {
      clock.now += LIFETIME_MS / 4;
      await checks.identify('a');
    }
    expect(asked).toHaveLength(2);
  });

  it.each([INVALID, UNAVAILABLE])('$status is never believed again', async (failure) => {
    const { asked, checks } = remembering(() => failure);
    for (let i = 0; i < 3; i++) expect(await checks.identify('a')).toEqual(failure);
    expect(asked).toHaveLength(3);
  });

  it('a token that is refused once its time is over stays refused', async () => {
    let revoked = false;
    const { checks, clock } = remembering(() => (revoked ? INVALID : identified('user-1')));
    await checks.identify('a');
    revoked = true;
    clock.now += LIFETIME_MS;
    expect(await checks.identify('a')).toEqual(INVALID);
    clock.now -= 1;
    expect(await checks.identify('a')).toEqual(INVALID);
  });

  it('the time counts from before the question, also for who joined it late', async () => {
    const clock = { now: 1_000_000 };
    const provider = new HeldProvider();
    const checks = sharedChecks(provider, {
      cacheSeconds: LIFETIME_MS / 1000,
      clock: () => clock.now,
      digest: (token) => token,
    });
    const first = checks.identify('a');
    clock.now += 3_000;
    const joined = checks.identify('a');
    clock.now += 900;
    provider.answer(identified('user-1'));
    await Promise.all([first, joined]);
    clock.now = 1_000_000 + LIFETIME_MS - 1;
    await checks.identify('a');
    expect(provider.asked).toHaveLength(1);
    clock.now += 1;
    void checks.identify('a');
    expect(provider.asked).toHaveLength(2);
  });

  it('a clock that is set back makes nothing last longer', async () => {
    const { asked, checks, clock } = remembering();
    await checks.identify('a');
    clock.now -= 24 * 60 * LIFETIME_MS;
    await checks.identify('a');
    expect(asked).toHaveLength(2);
  });

  it('accounts are told apart by the digest of the token alone, which holds no token', async () => {
    const digested: string[] = [];
    const { asked, provider } = promptly(identified);
    const checks = sharedChecks(provider, {
      cacheSeconds: 60,
      digest(token) {
        digested.push(token);
        return token.toLowerCase();
      },
    });
    expect(await checks.identify('token-A')).toEqual(identified('token-A'));
    // The same digest, so the same entry: nothing else of the token is the key.
    expect(await checks.identify('TOKEN-a')).toEqual(identified('token-A'));
    expect(asked).toEqual(['token-A']);
    expect(digested).toEqual(['token-A', 'TOKEN-a']);
  });

  it('the digest of the platform serves where none is given', async () => {
    const { asked, provider } = promptly(identified);
    const checks = sharedChecks(provider, { cacheSeconds: 60 });
    for (const token of ['a', 'b', 'a', 'b', 'a']) {
      expect(await checks.identify(token)).toEqual(identified(token));
    }
    expect(asked).toEqual(['a', 'b']);
  });

  it('10 000 successes are kept; the oldest goes first', async () => {
    const { asked, checks, clock } = remembering();
    await checks.identify('first');
    await checks.identify('second');
    clock.now += LIFETIME_MS;
    // Checked anew, and so younger than the one that came after it.
    await checks.identify('first');
    for (let i = 0; i < ENTRIES_MAX - 2; i++) await checks.identify(`token-${i}`);
    const full = asked.length;
    await checks.identify('first');
    await checks.identify('token-0');
    expect(asked.length).toBe(full);

    await Promise.all([checks.identify('one-more'), checks.identify('one-more')]);
    await checks.identify('first');
    expect(asked.length).toBe(full + 1);
    await checks.identify('another');
    await checks.identify('token-0');
    expect(asked.length).toBe(full + 2);
    await checks.identify('first');
    expect(asked.length).toBe(full + 3);
  });
});
