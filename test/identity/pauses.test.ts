// What the provider's `Retry-After` holds up: a 503 every question, a 429 its own request alone.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { signInSettings } from '../support/signing-provider.js';

const NOW = Date.UTC(2026, 0, 1);

/** A provider that answers with a status to some tokens, and knows the others. */
function open(retryAfter = '60') {
  const statusOf = new Map<string, number>();
  const asked: string[] = [];
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const clock = { now: NOW };
  const { identity } = openSignIn({
    settings: signInSettings({ userinfoUrl: 'https://id.example.com/me' }),
    digest: (token) => token,
    clock: () => clock.now,
    fetch: async (_url, { headers }) => {
      const token = headers['authorization']?.slice('Bearer '.length) ?? '';
      asked.push(token);
      const status = statusOf.get(token) ?? (token.startsWith('junk') ? 429 : 200);
      if (status === 200) return Response.json({ sub: token });
      return new Response(null, { status, headers: { 'retry-after': retryAfter } });
    },
  });
  const check = async (token: string, from = '') => identity.identify(token, () => from);
  return { asked, clock, statusOf, check };
}

afterEach(() => void vi.useRealTimers());

const pause = (seconds: number) => ({
  status: 'unavailable',
  reason: `the identity provider asks for a pause; try again in ${seconds} s`,
  retryAfterSeconds: seconds,
});

describe('A 429', () => {
  it.each([3, 200])(
    'for junk tokens of %i addresses keeps no good token out',
    async (addresses) => {
      const { check } = open();
      for (let i = 0; i < addresses; i++) {
        expect(await check(`junk-${i}`, `10.0.0.${i}`)).toEqual(pause(60));
      }
      const good = await check('asha', '10.0.0.0');
      expect(good).toEqual({ status: 'identified', subject: 'asha' });
    },
  );

  it('is not remembered for its own token, either', async () => {
    const { asked, check, statusOf } = open();
    statusOf.set('asha', 429);
    expect(await check('asha')).toEqual(pause(60));
    statusOf.clear();
    expect(await check('asha')).toMatchObject({ status: 'identified' });
    expect(asked).toEqual(['asha', 'asha']);
  });
});

describe('A 503', () => {
  const dateIn = (ms: number) => new Date(NOW + ms).toUTCString();

  it.each([
    ['7', 7],
    ['3600', 60],
    [dateIn(9_000), 9],
  ])('with Retry-After %s pauses all questions for %i s', async (retryAfter, seconds) => {
    const { asked, check, clock, statusOf } = open(retryAfter);
    statusOf.set('asha', 503);
    expect(await check('asha')).toEqual(pause(seconds));
    statusOf.clear();
    clock.now += seconds * 1000 - 1;
    for (const token of ['asha', 'juma']) expect(await check(token)).toEqual(pause(1));
    expect(asked).toEqual(['asha']);
    clock.now += 1;
    expect(await check('juma')).toMatchObject({ status: 'identified' });
  });

  it('pauses nothing after the clock was set back', async () => {
    const { check, clock, statusOf } = open();
    statusOf.set('asha', 503);
    await check('asha');
    clock.now -= 3_600_000;
    expect(await check('juma')).toMatchObject({ status: 'identified' });
  });

  it.each([
    [503, '-5'],
    [503, 'soon'],
    [503, dateIn(-1_000)],
    [500, '7'],
  ])('or %i without a usable time, Retry-After %j, is no pause', async (status, retryAfter) => {
    const { asked, check, statusOf } = open(retryAfter);
    statusOf.set('asha', status);
    for (let i = 0; i < 2; i++) expect(await check('asha')).toEqual({ status: 'unavailable' });
    expect(asked).toHaveLength(2);
  });
});
