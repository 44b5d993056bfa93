// Which identity checks are remembered, for how long, and how much of them.

import { describe, expect, it } from 'vitest';
import { cachedChecks } from '../../src/core/identity/cached-checks.js';
import type { Identity } from '../../src/core/identity/identity-provider.js';
import { HeldProvider, INVALID, identified, promptly, UNAVAILABLE } from './held-provider.js';

const ENTRIES_MAX = 10_000;

describe('With a memory', () => {
  const LIFETIME_MS = 60_000;

  function remembering(answers: (token: string) => Identity = identified) {
    const clock = { now: 1_000_000 };
    const { asked, provider } = promptly(answers);
    const checks = cachedChecks(provider, {
      cacheSeconds: LIFETIME_MS / 1000,
      clock: () => clock.now,
      digest: (token) => `#${token}`,
    });
    return { asked, checks, clock };
  }

  it('a success is remembered for the set time, and not a millisecond longer', async () => {
    const { asked, checks, clock } = remembering();
    await checks.identify('a');
    clock.now += LIFETIME_MS - 1;
    expect(await checks.identify('a')).toEqual(identified('a'));
    expect(asked).toHaveLength(1);
    clock.now += 1;
    expect(await checks.identify('a')).toEqual(identified('a'));
    expect(asked).toHaveLength(2);
  });

  it('using a remembered success does not prolong it', async () => {
    const { asked, checks, clock } = remembering();
    await checks.identify('a');
    for (let i = 0; i < 4; i++) {
      clock.now += LIFETIME_MS / 4;
      await checks.identify('a');
    }
    expect(asked).toHaveLength(2);
  });

  it('"unavailable" is never remembered', async () => {
    const { asked, checks } = remembering(() => UNAVAILABLE);
    for (let i = 0; i < 3; i++) expect(await checks.identify('a')).toEqual(UNAVAILABLE);
    expect(asked).toHaveLength(3);
  });

  it('a success is not remembered beyond the expiry that the provider names', async () => {
    const expiresAt = 1_000_000 + 5_000;
    const { asked, checks, clock } = remembering((token) => ({ ...identified(token), expiresAt }));
    await checks.identify('a');
    clock.now = expiresAt - 1;
    await checks.identify('a');
    expect(asked).toHaveLength(1);
    clock.now = expiresAt;
    await checks.identify('a');
    await checks.identify('a');
    expect(asked).toHaveLength(3);
  });

  it.each([
    [1_005, 5_000],
    [999, 0],
    [99_999, LIFETIME_MS],
  ])('a success is not remembered beyond the expiry of the token: exp %i', async (exp, ms) => {
    const token = `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.c2ln`;
    const { asked, checks, clock } = remembering();
    await checks.identify(token);
    if (ms > 0) {
      clock.now += ms - 1;
      await checks.identify(token);
      expect(asked).toHaveLength(1);
      clock.now += 1;
    }
    await checks.identify(token);
    expect(asked).toHaveLength(2);
  });

  it('a token that is refused after its time stays refused', async () => {
    let revoked = false;
    const { checks, clock } = remembering(() => (revoked ? INVALID : identified('user-1')));
    await checks.identify('a');
    revoked = true;
    clock.now += LIFETIME_MS;
    expect(await checks.identify('a')).toEqual(INVALID);
    clock.now -= 1;
    expect(await checks.identify('a')).toEqual(INVALID);
  });

  it('the time counts from the start of the question, also for a late joiner', async () => {
    const clock = { now: 1_000_000 };
    const provider = new HeldProvider();
    const checks = cachedChecks(provider, {
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

  it('a clock that is set back prolongs nothing', async () => {
    const { asked, checks, clock } = remembering();
    await checks.identify('a');
    clock.now -= 24 * 60 * LIFETIME_MS;
    await checks.identify('a');
    expect(asked).toHaveLength(2);
  });

  it('entries are keyed by the digest of the token, which does not contain the token', async () => {
    const digested: string[] = [];
    const { asked, provider } = promptly(identified);
    const checks = cachedChecks(provider, {
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

  it("the platform's digest is used when none is given", async () => {
    const { asked, provider } = promptly(identified);
    const checks = cachedChecks(provider, { cacheSeconds: 60 });
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
