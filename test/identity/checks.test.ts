// Contract, "Authentication", between the requests and the provider: which checks are shared, what
// is remembered, for how long, and how much of it.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { IDENTITY_CACHE_MAX_ENTRIES } from '../../src/core/domain/limits.js';
import { UNKNOWN_CHECKS_MAX, WAITING_CHECKS_MAX } from '../../src/core/identity/unknown-checks.js';
import { keptLog } from '../support/kept-log.js';
import { good, held, openChecks, REFUSED, settled, UNUSABLE } from './open-checks.js';

const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };
const CACHE_SECONDS = 60;
const LIFETIME_MS = CACHE_SECONDS * 1000;

const identified = (subject: string) => ({ status: 'identified', subject });
const A = identified('a');

afterEach(() => void vi.useRealTimers());

describe.each([
  ['without a memory', 0],
  ['with a memory', CACHE_SECONDS],
])('Checks under way, %s', (_name, cacheSeconds) => {
  it('are joined for equal tokens alone', async () => {
    const { verdictOf, answer } = held();
    const { asked, told, check } = openChecks(verdictOf, { cacheSeconds });
    const tokens = ['a', 'a', 'a', 'A', 'a.'];
    const open = tokens.map(check);
    await settled();
    expect(asked).toEqual(['a', 'A', 'a.']);
    for (const token of asked) answer(token, good(token));
    expect(await Promise.all(open)).toEqual(tokens.map(identified));
    expect(told).toEqual(['joined', 'joined', ...Array(3).fill('identified')]);
  });

  it.each([
    ['a refusal', 2_000, () => REFUSED, INVALID],
    ['a failure', 0, () => UNUSABLE, UNAVAILABLE],
    ['a question that fails', 0, () => Promise.reject(new Error('broken')), UNAVAILABLE],
  ])('share %s and forget it after %i ms', async (_name, ms, verdict, outcome) => {
    const { verdictOf, answer } = held();
    const { asked, clock, check } = openChecks(verdictOf, { cacheSeconds });
    const open = [check('a'), check('a')];
    await settled();
    answer('a', verdict());
    expect(await Promise.all(open)).toEqual([outcome, outcome]);
    if (ms > 0) {
      clock.now += ms - 1;
      expect(await check('a')).toEqual(outcome);
      expect(asked).toEqual(['a']);
      clock.now += 1;
    }
    const next = check('a');
    await settled();
    answer('a', good('user-1'));
    expect(await next).toEqual(identified('user-1'));
    expect(asked).toEqual(['a', 'a']);
  });

  it('end after 4 s, whether or not the question obeys its signal, and the log says so', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const log = keptLog();
    const { asked, check } = openChecks(() => new Promise(() => {}), { cacheSeconds, log });
    const tokens = Array.from({ length: UNKNOWN_CHECKS_MAX }, (_, i) => `${i}`);
    const open = tokens.map(check);
    await settled();
    await vi.advanceTimersByTimeAsync(3_999);
    expect(log.lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(open)).toEqual(open.map(() => UNAVAILABLE));
    expect(log.lines[0]?.fields).toEqual({ reason: 'no answer within 4000 ms' });
    void check('next');
    await settled();
    expect(asked.at(-1)).toBe('next');
  });

  it('each have a question of their own where no request may wait for another', async () => {
    const options = { cacheSeconds, joined: false };
    const { asked, check } = openChecks(() => new Promise(() => {}), options);
    for (let i = 0; i <= UNKNOWN_CHECKS_MAX; i++) void check('a');
    await settled();
    expect(asked).toHaveLength(UNKNOWN_CHECKS_MAX + 1);
  });
});

describe('With a memory', () => {
  const remembering = (verdictOf: Parameters<typeof openChecks>[0] = good) => {
    const opened = openChecks(verdictOf, { cacheSeconds: CACHE_SECONDS });
    /** The answer to a token at a later time, and how many questions there have been. */
    const later = async (ms: number, token = 'a') => {
      opened.clock.now += ms;
      return [await opened.check(token), opened.asked.length] as const;
    };
    return { ...opened, later };
  };

  it('a success is remembered for the set time, however often it is used', async () => {
    const { told, later } = remembering();
    await later(0);
    for (let i = 0; i < 3; i++) expect(await later(LIFETIME_MS / 3 - 1)).toEqual([A, 1]);
    expect(told).toEqual(['identified', 'remembered', 'remembered', 'remembered']);
    expect(await later(3)).toEqual([A, 2]);
  });

  const jwt = (claims: object) =>
    `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  it.each([
    [1_005, 5_000],
    [999, 0],
    [99_999, LIFETIME_MS],
  ])('a success is not remembered beyond the exp of answer or token: %i', async (exp, ms) => {
    const tokens = [['a', { exp }] as const, [jwt({ exp }), {}] as const];
    for (const [token, answer] of tokens) {
      const { later } = remembering(() => good('a', answer));
      await later(0, token);
      if (ms > 0) expect(await later(ms - 1, token)).toEqual([A, 1]);
      expect(await later(1, token)).toEqual([A, 2]);
    }
  });

  it('the time counts from the start of the question, also for a late joiner', async () => {
    const { verdictOf, answer } = held();
    const { asked, clock, check, later } = remembering(verdictOf);
    const first = check('a');
    clock.now += 3_000;
    const joined = check('a');
    clock.now += 900;
    await settled();
    answer('a', good('a'));
    await Promise.all([first, joined]);
    expect(await later(LIFETIME_MS - 3_901)).toEqual([A, 1]);
    void later(1);
    await settled();
    expect(asked).toHaveLength(2);
  });

  it('a clock that is set back prolongs nothing', async () => {
    const { later } = remembering();
    await later(0);
    expect(await later(-24 * 60 * LIFETIME_MS)).toEqual([A, 2]);
  });

  it('10,000 successes are kept; the one checked longest ago goes first', async () => {
    const { asked, clock, check } = remembering();
    await check('first');
    await check('second');
    clock.now += LIFETIME_MS;
    // Checked again, and so younger than the second one.
    await check('first');
    for (let i = 0; i < IDENTITY_CACHE_MAX_ENTRIES - 2; i++) await check(`token-${i}`);
    const full = asked.length;
    for (const token of ['first', 'token-0', 'one-more', 'first']) await check(token);
    expect(asked.length).toBe(full + 1);
    for (const token of ['another', 'token-0', 'first']) await check(token);
    expect(asked.length).toBe(full + 3);
  });
});

it('A failure is reported once a minute with the number of suppressed reports, another at once', async () => {
  const log = keptLog();
  let reason = 'status 503';
  const { clock, check } = openChecks(() => ({ ...UNUSABLE, fields: { reason } }), { log });
  // The last steps set the clock back.
  for (const later of [0, 0, 0, 59_999, 1, 60_000, -3_600_000, 0]) {
    clock.now += later;
    await check('a');
  }
  reason = 'status 500';
  await check('a');
  const told = log.lines.map(({ fields }) => [fields['reason'], fields['suppressed'] ?? 0]);
  expect(told).toEqual([...[0, 3, 0, 0].map((count) => ['status 503', count]), [reason, 0]]);
});

/** A flood of junk tokens takes no turn from known tokens. */
describe('Places for checks under way', () => {
  function open() {
    const { verdictOf, answer } = held();
    const log = keptLog();
    const opened = openChecks(verdictOf, { log });
    const { asked, check } = opened;
    const flood = (count: number) => Array.from({ length: count }, (_, i) => check(`junk-${i}`));
    const answered = async (token: string, verdict = good(token)) => {
      const identity = check(token);
      await settled();
      answer(token, verdict);
      return identity;
    };
    const askedOnce = async (...tokens: string[]) => {
      asked.length = 0;
      for (const token of tokens) void check(token);
      await settled();
      return asked;
    };
    return { ...opened, log, answer, flood, answered, askedOnce };
  }

  it('are bounded for unknown tokens, and free for known ones', async () => {
    const { asked, told, flood, answered } = open();
    await answered('mine');
    flood(WAITING_CHECKS_MAX);
    await settled();
    expect(asked).toHaveLength(1 + UNKNOWN_CHECKS_MAX);
    expect(told).toEqual(['identified']);
    expect(await answered('mine')).toEqual(identified('mine'));
  });

  it('answer "unavailable" when the queue is full or the wait too long, in log and metric, too', async () => {
    const { asked, clock, answer, flood, log, told } = open();
    const junk = flood(UNKNOWN_CHECKS_MAX + WAITING_CHECKS_MAX + 1);
    expect(await junk.at(-1)).toEqual(UNAVAILABLE);
    expect(told).toEqual(['unavailable']);
    clock.now += 4_000;
    answer('junk-0', REFUSED);
    const late = await Promise.all(junk.slice(UNKNOWN_CHECKS_MAX, -1));
    expect(late).toEqual(late.map(() => UNAVAILABLE));
    expect(asked).toHaveLength(UNKNOWN_CHECKS_MAX);
    expect(told.filter((outcome) => outcome === 'unavailable')).toHaveLength(1 + late.length);
    expect(log.lines.map(({ event }) => event)).toContain('identity_checks_full');
  });

  it('treat a token as unknown after it was refused', async () => {
    const { answered, askedOnce, flood } = open();
    await answered('mine');
    await answered('mine', REFUSED);
    flood(UNKNOWN_CHECKS_MAX);
    await settled();
    expect(await askedOnce('mine')).toEqual([]);
  });
});
