// Whom the pause holds up that a provider asks for: a token, everybody, or the senders of tokens
// that nobody knows.

import { describe, expect, it } from 'vitest';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { signInSettings } from '../support/signing-provider.js';

const NOW = Date.UTC(2026, 0, 1);

/** A provider that is asked for `ACCOUNT-NUMBER`, and answers with these statuses to some. */
function open() {
  const busy = new Map<string, number>();
  const after = { seconds: '30' };
  const asked: string[] = [];
  const clock = { now: NOW };
  const { identity } = openSignIn({
    settings: signInSettings({ userinfoUrl: 'https://id.example.com/me' }),
    digest: (token) => token,
    clock: () => clock.now,
    fetch: async (_url, { headers }) => {
      const token = headers['authorization']?.slice('Bearer '.length) ?? '';
      asked.push(token);
      const status = busy.get(token);
      if (status === undefined) return Response.json({ sub: token.split('-')[0] });
      return new Response(null, { status, headers: { 'retry-after': after.seconds } });
    },
  });
  const check = (token: string, from = '') => identity.identify(token, () => from);
  /** Whether the token is held up without a question. */
  const isPaused = async (token: string, from = '') => {
    const before = asked.length;
    const { status } = await check(token, from);
    return status === 'unavailable' && asked.length === before;
  };
  const limit = async (token: string, status = 429) => {
    busy.set(token, status);
    await check(token);
  };
  return { after, asked, busy, clock, check, isPaused, limit };
}

describe('A 429', () => {
  it('for tokens of one account holds up these alone', async () => {
    const { check, clock, busy, isPaused, limit } = open();
    for (let i = 0; i < 8; i++) await check(`asha-${i}`);
    for (let i = 0; i < 7; i++) await limit(`asha-${i}`);
    busy.clear();
    expect(await isPaused('asha-0')).toBe(true);
    for (const token of ['asha-7', 'juma-1']) expect(await isPaused(token)).toBe(false);
    clock.now += 30_000;
    expect(await isPaused('asha-0')).toBe(false);
  });

  it.each([
    [60_000, false],
    [59_999, true],
  ])('for three accounts within %i ms holds up everybody: %s', async (ms, expected) => {
    const { check, clock, isPaused, limit } = open();
    for (const token of ['asha-1', 'juma-1', 'neema-1', 'zawadi-1']) await check(token);
    await limit('asha-1');
    clock.now += ms;
    await limit('juma-1');
    expect(await isPaused('zawadi-1')).toBe(false);
    await limit('neema-1');
    expect(await isPaused('zawadi-1')).toBe(expected);
    expect(await isPaused('new-1')).toBe(expected);
  });

  it('for a token that nobody knows holds up such tokens of its sender', async () => {
    const { check, isPaused, limit } = open();
    await check('asha-1');
    await limit('made-up');
    expect(await isPaused('new-1')).toBe(true);
    expect(await isPaused('new-2', 'elsewhere')).toBe(false);
    expect(await isPaused('asha-1')).toBe(false);
  });
});

describe('Retry-After', () => {
  const dateIn = (ms: number) => new Date(NOW + ms).toUTCString();

  it.each([
    [429, '7', 7],
    [429, '3600', 60],
    [503, dateIn(9_000), 9],
  ])('is kept to, for a minute at most: %i with %s', async (status, seconds, wait) => {
    const { after, asked, busy, clock, check } = open();
    after.seconds = seconds;
    busy.set('a', status);
    const heldUp = (left: number) => ({
      status: 'unavailable',
      reason: `the identity provider asks for a pause; try again in ${left} s`,
      retryAfterSeconds: left,
    });
    expect(await check('a')).toEqual(heldUp(wait));
    busy.clear();
    clock.now += wait * 1000 - 1;
    expect(await check('a')).toEqual(heldUp(1));
    expect(asked).toHaveLength(1);
    clock.now += 1;
    expect(await check('a')).toMatchObject({ status: 'identified' });
  });

  it.each([
    [429, '-5'],
    [429, 'soon'],
    [503, dateIn(-1_000)],
    [500, '7'],
  ])('that is unusable is no pause: %i with %j', async (status, seconds) => {
    const { after, asked, check, limit } = open();
    after.seconds = seconds;
    await limit('a', status);
    expect(await check('a')).toEqual({ status: 'unavailable' });
    expect(asked).toHaveLength(2);
  });
});

it('A 503 holds up everybody', async () => {
  const { check, isPaused, limit } = open();
  for (const token of ['asha-1', 'juma-1']) await check(token);
  await limit('asha-1', 503);
  for (const token of ['juma-1', 'new-1']) expect(await isPaused(token, token)).toBe(true);
});
