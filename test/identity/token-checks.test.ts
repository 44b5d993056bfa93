// Contract, "Authentication", between the requests and the provider: which checks are shared, what
// is cached, for how long and up to what size, and what a flood of junk can't delay.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { IDENTITY_CACHE_MAX_ENTRIES } from '../../src/core/domain/limits.js';
import { TokenChecks, UNKNOWN_CHECKS_MAX } from '../../src/core/identity/token-checks.js';
import { silentLog } from '../../src/core/log.js';
import { good, held, identified, NOW, open, reply, settled } from './answering-provider.js';

const CACHE_SECONDS = 60;
const LIFETIME_MS = CACHE_SECONDS * 1000;
const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };
const REFUSED = () => reply(401);

afterEach(() => void vi.useRealTimers());

describe('Checks in progress', () => {
  it('are shared by equal tokens only', async () => {
    const { replyTo, answer } = held();
    const { requested, outcomes, check } = open(replyTo, CACHE_SECONDS);
    const tokens = ['a', 'a', 'a', 'A', 'a.'];
    const checks = tokens.map((token) => check(token));
    await settled();
    expect(requested).toEqual(['a', 'A', 'a.']);
    for (const token of requested) answer(token, good(token));
    expect(await Promise.all(checks)).toEqual(tokens.map(identified));
    expect(outcomes).toEqual(['joined', 'joined', ...Array(3).fill('identified')]);
  });

  it.each([
    ['a refusal', 2_000, REFUSED, INVALID],
    ['a failure', 0, () => reply(500), UNAVAILABLE],
    ['a question that fails', 0, () => Promise.reject(new Error('broken')), UNAVAILABLE],
  ])('share %s and forget it after %i ms', async (_name, ms, replied, outcome) => {
    const { replyTo, answer } = held();
    const { requested, clock, check } = open(replyTo, CACHE_SECONDS);
    const checks = [check('a'), check('a')];
    await settled();
    answer('a', replied());
    expect(await Promise.all(checks)).toEqual([outcome, outcome]);
    if (ms > 0) {
      clock.now += ms - 1;
      expect(await check('a')).toEqual(outcome);
      expect(requested).toEqual(['a']);
      clock.now += 1;
    }
    const next = check('a');
    await settled();
    answer('a', good('user-1'));
    expect(await next).toEqual(identified('user-1'));
    expect(requested).toEqual(['a', 'a']);
  });
});

describe('With a cache', () => {
  const A = identified('a');

  it('a success is cached for the configured time, however often it is used', async () => {
    const { outcomes, later } = open(good, CACHE_SECONDS);
    await later(0);
    for (let i = 0; i < 3; i++) expect(await later(LIFETIME_MS / 3 - 1)).toEqual([A, 1]);
    expect(outcomes).toEqual(['identified', 'remembered', 'remembered', 'remembered']);
    expect(await later(3)).toEqual([A, 2]);
  });

  const jwt = (claims: object) =>
    `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  it.each([
    [NOW / 1000 + 5, 5_000],
    [NOW / 1000 - 1, 0],
    [NOW, LIFETIME_MS],
  ])('a success expires at the exp of the response or token: %i', async (exp, ms) => {
    const tokens = [['a', { exp }] as const, [jwt({ exp }), {}] as const];
    for (const [token, claims] of tokens) {
      const { later } = open(() => good('a', claims), CACHE_SECONDS);
      await later(0, token);
      if (ms > 0) expect(await later(ms - 1, token)).toEqual([A, 1]);
      expect(await later(1, token)).toEqual([A, 2]);
    }
  });

  it('the time counts from the start of the request to the provider', async () => {
    const { clock, later } = open((token) => {
      clock.now += 3_900;
      return good(token);
    }, CACHE_SECONDS);
    await later(0);
    expect(await later(LIFETIME_MS - 3_901)).toEqual([A, 1]);
    expect(await later(1)).toEqual([A, 2]);
  });

  it('a clock that jumps back or forth extends nothing', async () => {
    const { later } = open(good, CACHE_SECONDS);
    await later(0);
    expect(await later(-24 * 60 * LIFETIME_MS)).toEqual([A, 2]);
    expect(await later(48 * 60 * LIFETIME_MS)).toEqual([A, 3]);
  });

  it('10,000 successes are kept; the least recently checked one is evicted first', async () => {
    const { requested, clock, check } = open(good, CACHE_SECONDS);
    await check('first');
    await check('second');
    clock.now += LIFETIME_MS;
    // Checked again, and so more recent than the second one.
    await check('first');
    for (let i = 0; i < IDENTITY_CACHE_MAX_ENTRIES - 2; i++) await check(`token-${i}`);
    const full = requested.length;
    for (const token of ['first', 'token-0', 'one-more', 'first']) await check(token);
    expect(requested.length).toBe(full + 1);
    for (const token of ['another', 'token-0', 'first']) await check(token);
    expect(requested.length).toBe(full + 3);
  });
});

/** A flood of junk tokens doesn't delay known tokens. */
describe('Checks of unknown tokens', () => {
  function flooded() {
    const { replyTo, answer } = held();
    const opened = open(replyTo);
    const { requested, check } = opened;
    const flood = (count: number, from?: string) =>
      Array.from({ length: count }, (_, i) => check(`junk-${i}`, from));
    const answered = async (token: string, given = good(token)) => {
      const identity = check(token);
      await settled();
      answer(token, given);
      return identity;
    };
    const requestedNow = async (...tokens: string[]) => {
      requested.length = 0;
      for (const token of tokens) void check(token, token);
      await settled();
      return requested;
    };
    return { ...opened, answer, flood, answered, requestedNow };
  }

  it('are bounded, while known tokens are checked at once', async () => {
    const { requested, clock, flood, answered, requestedNow } = flooded();
    await answered('mine');
    flood(1_000);
    await settled();
    expect(requested).toHaveLength(1 + UNKNOWN_CHECKS_MAX);
    expect(await answered('mine')).toEqual(identified('mine'));
    expect(await answered('mine', REFUSED())).toEqual(INVALID);
    clock.now += 2_000;
    // Once refused, it is unknown again.
    expect(await requestedNow('mine')).toEqual([]);
  });

  it('take turns by address', async () => {
    const { requested, flood, answer, requestedNow } = flooded();
    flood(1_000, '10.0.0.1');
    await settled();
    expect(await requestedNow('mine')).toEqual([]);
    for (const junk of ['junk-0', 'junk-1']) answer(junk, REFUSED());
    await settled();
    expect(requested).toEqual([`junk-${UNKNOWN_CHECKS_MAX}`, 'mine']);
  });

  it('end after 4 s, including the wait for a turn, whether or not the request obeys its signal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outcomes, log, flood, requestedNow } = flooded();
    const checks = flood(UNKNOWN_CHECKS_MAX + 1);
    await settled();
    await vi.advanceTimersByTimeAsync(3_999);
    expect(log.lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(checks)).toEqual(checks.map(() => UNAVAILABLE));
    expect(log.lines[0]?.fields).toEqual({ reason: 'no response within 4000 ms' });
    expect(outcomes).toEqual(checks.map(() => 'unavailable'));
    expect(await requestedNow('next')).toEqual(['next']);
  });
});

it('A check whose JWT verification exceeds 4 s takes no slot', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let open = () => {};
  const keys = new Promise<void>((resolve) => {
    open = resolve;
  });
  const checks = new TokenChecks({
    verifyJwt: () => keys.then(() => ({ claims: {} })),
    checkToken: async (subject) => ({ subject, expiresAt: undefined }),
    digest: (token) => token,
    log: silentLog,
    clock: Date.now,
    cacheSeconds: 0,
    maxConcurrentChecks: 1,
  });
  const late = checks.identify('late');
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await late).toEqual(UNAVAILABLE);
  open();
  await settled();
  const next = checks.identify('next');
  // So that a check without a slot ends, too.
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await next).toEqual(identified('next'));
});
