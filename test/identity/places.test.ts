// A bound on checks under way: a flood of junk tokens costs the provider a
// limited number of calls at a time, and takes no turn from known tokens.

import { describe, expect, it } from 'vitest';
import {
  KNOWN_CHECKS_MAX,
  UNKNOWN_CHECKS_MAX,
  WAITING_CHECKS_MAX,
} from '../../src/core/identity/checks.js';
import { good, held, openChecks, REFUSED, settled } from './open-checks.js';

function open() {
  const { verdictOf, answer } = held();
  const { asked, told, clock, check } = openChecks(verdictOf);
  const flood = (count: number) => Array.from({ length: count }, (_, i) => check(`junk-${i}`));
  const signIn = async (token: string) => {
    const identity = check(token);
    await settled();
    answer(token, good(token));
    expect(await identity).toEqual({ status: 'identified', subject: token });
    asked.length = 0;
  };
  return { asked, told, clock, check, answer, flood, signIn };
}

describe('Checks under way', () => {
  it('are bounded for unknown tokens, and those that wait are not counted as joined', async () => {
    const { asked, told, flood } = open();
    flood(1_000);
    await settled();
    expect(asked).toHaveLength(UNKNOWN_CHECKS_MAX);
    expect(told).toEqual([]);
  });

  it('begin at once for a token that was good before, also during a flood', async () => {
    const { asked, check, answer, flood, signIn } = open();
    await signIn('mine');
    flood(5_000);
    await settled();
    const mine = check('mine');
    await settled();
    expect(asked).toContain('mine');
    answer('mine', good('mine'));
    expect(await mine).toMatchObject({ subject: 'mine' });
  });

  it('answer "unavailable" when the queue is full, and when the wait is too long', async () => {
    const { asked, clock, answer, flood } = open();
    const junk = flood(UNKNOWN_CHECKS_MAX + WAITING_CHECKS_MAX + 1);
    expect(await junk.at(-1)).toEqual({ status: 'unavailable' });
    clock.now += 4_000;
    answer('junk-0', REFUSED);
    for (const late of junk.slice(UNKNOWN_CHECKS_MAX, -1)) {
      expect(await late).toEqual({ status: 'unavailable' });
    }
    expect(asked).toHaveLength(UNKNOWN_CHECKS_MAX);
  });

  it('are bounded for known tokens, too, in places of their own', async () => {
    const { asked, check, signIn } = open();
    const known = Array.from({ length: KNOWN_CHECKS_MAX + 1 }, (_, i) => `good-${i}`);
    for (const token of known) await signIn(token);
    for (const token of known) void check(token);
    await settled();
    expect(asked).toHaveLength(KNOWN_CHECKS_MAX);
    void check('new');
    await settled();
    expect(asked.at(-1)).toBe('new');
  });

  it('treat a token as unknown after it was refused', async () => {
    const { asked, check, answer, flood, signIn } = open();
    await signIn('mine');
    const refused = check('mine');
    await settled();
    answer('mine', REFUSED);
    await refused;
    flood(UNKNOWN_CHECKS_MAX);
    void check('mine');
    await settled();
    expect(asked.slice(1)).not.toContain('mine');
  });
});
