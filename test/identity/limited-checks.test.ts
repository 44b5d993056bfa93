// A bound on checks under way: a flood of junk tokens costs the provider a
// limited number of calls at a time, and takes no turn from known tokens.

import { describe, expect, it } from 'vitest';
import { IDENTITY_CACHE_MAX_ENTRIES } from '../../src/core/domain/limits.js';
import type { Identity } from '../../src/core/identity/identity-provider.js';
import {
  KNOWN_CHECKS_MAX,
  limitedChecks,
  UNKNOWN_CHECKS_MAX,
  WAITING_CHECKS_MAX,
} from '../../src/core/identity/limited-checks.js';

/** A provider that answers when the test says so. */
function openProvider() {
  const asked: { token: string; answer: (identity: Identity) => void }[] = [];
  const identify = (token: string) =>
    new Promise<Identity>((answer) => asked.push({ token, answer }));
  return { asked, identify };
}

const GOOD: Identity = { status: 'identified', subject: 'a' };
const INVALID: Identity = { status: 'invalid' };
const digest = (token: string) => `hash of ${token}`;
/** Every promise that can settle has settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function open() {
  const provider = openProvider();
  const time = { now: 1_000_000 };
  const checks = limitedChecks(provider, { digest, clock: () => time.now });
  const flood = (count: number, name = 'junk') =>
    Array.from({ length: count }, async (_, i) => checks.identify(`${name}-${i}`));
  const signIn = async (token: string) => {
    const identity = checks.identify(token);
    await settled();
    provider.asked.at(-1)?.answer(GOOD);
    expect(await identity).toEqual(GOOD);
    provider.asked.length = 0;
  };
  return { ...provider, time, checks, flood, signIn };
}

describe('Checks under way', () => {
  it('are bounded for unknown tokens', async () => {
    const { asked, flood } = open();
    flood(1_000);
    await settled();
    expect(asked).toHaveLength(UNKNOWN_CHECKS_MAX);
  });

  it('begin at once for a token that was good before, also during a flood', async () => {
    const { asked, checks, flood, signIn } = open();
    await signIn('mine');
    flood(5_000);
    await settled();
    const mine = checks.identify('mine');
    await settled();
    expect(asked.map(({ token }) => token)).toContain('mine');
    asked.find(({ token }) => token === 'mine')?.answer(GOOD);
    expect(await mine).toEqual(GOOD);
  });

  it('begin in the order of waiting, one for each that ends', async () => {
    const { asked, flood } = open();
    const junk = flood(UNKNOWN_CHECKS_MAX + 2);
    await settled();
    asked[0]?.answer(INVALID);
    expect(await junk[0]).toEqual(INVALID);
    await settled();
    expect(asked.slice(UNKNOWN_CHECKS_MAX).map(({ token }) => token)).toEqual([
      `junk-${UNKNOWN_CHECKS_MAX}`,
    ]);
  });

  it('that have lost their end make room once, and none when they end after all', async () => {
    const { asked, time, flood } = open();
    flood(UNKNOWN_CHECKS_MAX, 'lost');
    await settled();
    time.now += 5_001;
    flood(UNKNOWN_CHECKS_MAX + 1);
    await settled();
    expect(asked).toHaveLength(2 * UNKNOWN_CHECKS_MAX);
    asked[0]?.answer(INVALID);
    await settled();
    expect(asked).toHaveLength(2 * UNKNOWN_CHECKS_MAX);
    asked.at(-1)?.answer(INVALID);
    await settled();
    expect(asked).toHaveLength(2 * UNKNOWN_CHECKS_MAX + 1);
  });

  it('answer "unavailable" when the queue is full, and when the wait is too long', async () => {
    const { asked, time, flood } = open();
    const junk = flood(UNKNOWN_CHECKS_MAX + WAITING_CHECKS_MAX + 1);
    expect(await junk.at(-1)).toEqual({ status: 'unavailable' });
    time.now += 4_000;
    asked[0]?.answer(INVALID);
    for (const late of junk.slice(UNKNOWN_CHECKS_MAX, -1)) {
      expect(await late).toEqual({ status: 'unavailable' });
    }
    expect(asked).toHaveLength(UNKNOWN_CHECKS_MAX);
  });

  it('are bounded for known tokens, too, in places of their own', async () => {
    const { asked, checks, signIn } = open();
    for (let i = 0; i <= KNOWN_CHECKS_MAX; i++) await signIn(`good-${i}`);
    for (let i = 0; i <= KNOWN_CHECKS_MAX; i++) void checks.identify(`good-${i}`);
    await settled();
    expect(asked).toHaveLength(KNOWN_CHECKS_MAX);
    void checks.identify('new');
    await settled();
    expect(asked.at(-1)?.token).toBe('new');
  });

  it('treat a token as unknown after it was refused', async () => {
    const { asked, checks, flood, signIn } = open();
    await signIn('mine');
    const refused = checks.identify('mine');
    await settled();
    asked[0]?.answer(INVALID);
    await refused;
    flood(UNKNOWN_CHECKS_MAX);
    void checks.identify('mine');
    await settled();
    expect(asked.slice(1).map(({ token }) => token)).not.toContain('mine');
  });
});

it('Of the tokens that were good, those used last are remembered, up to 10,000', async () => {
  const asked: string[] = [];
  const identify = async (token: string): Promise<Identity> => {
    asked.push(token);
    if (token.startsWith('good')) return GOOD;
    return new Promise(() => {});
  };
  const checks = limitedChecks({ identify }, { digest });
  const signIn = async (number: number) => checks.identify(`good-${number}`);
  for (let i = 0; i < IDENTITY_CACHE_MAX_ENTRIES; i++) await signIn(i);
  // The first one is used again, so the second one goes when one more comes.
  await signIn(0);
  await signIn(IDENTITY_CACHE_MAX_ENTRIES);
  // From here on an unknown token waits.
  for (let i = 0; i < UNKNOWN_CHECKS_MAX; i++) void checks.identify(`junk-${i}`);
  await settled();
  asked.length = 0;
  for (const number of [1, 0, 2, IDENTITY_CACHE_MAX_ENTRIES]) void signIn(number);
  await settled();
  expect(asked).toEqual(['good-0', 'good-2', `good-${IDENTITY_CACHE_MAX_ENTRIES}`]);
});
