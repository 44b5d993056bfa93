// Contract, "Authentication": which checks a provider's request for a pause delays.

import { describe, expect, it } from 'vitest';
import { good, held, identified, NOW, open, reply, settled } from './answering-provider.js';

const UNAVAILABLE = { status: 'unavailable' };

const pause = (seconds: number) => ({
  status: 'unavailable',
  reason: `the identity provider asks for a pause; try again in ${seconds} s`,
  retryAfterSeconds: seconds,
});
const dateIn = (ms: number) => new Date(NOW + ms).toUTCString();

/** A provider that returns a status and a `Retry-After` for one token, and accepts the others. */
function openBusy(busy: string, status: number, retryAfter = '60') {
  const statuses = new Map([[busy, status]]);
  const replyTo = (token: string) => {
    const found = statuses.get(token);
    return found === undefined ? good(token) : reply(found, null, retryAfter);
  };
  return { ...open(replyTo), recover: () => statuses.clear() };
}

it('A 429 pauses only its own request', async () => {
  const { check, recover } = openBusy('junk', 429);
  expect(await check('junk')).toEqual(pause(60));
  expect(await check('asha')).toEqual(identified('asha'));
  recover();
  expect(await check('junk')).toEqual(identified('junk'));
});

describe('A 503', () => {
  it.each([
    ['7', 7],
    ['3600', 60],
    [dateIn(9_000), 9],
  ])('with Retry-After %s pauses all checks for %i s', async (retryAfter, seconds) => {
    const { requested, check, clock, recover } = openBusy('asha', 503, retryAfter);
    expect(await check('asha')).toEqual(pause(seconds));
    recover();
    clock.now += seconds * 1000 - 1;
    for (const token of ['asha', 'juma']) expect(await check(token)).toEqual(pause(1));
    expect(requested).toEqual(['asha']);
    clock.now += 1;
    expect(await check('juma')).toEqual(identified('juma'));
  });

  it('without Retry-After does not end an earlier pause', async () => {
    const { replyTo, answer } = held();
    const { requested, check } = open(replyTo);
    const checks = [check('asha'), check('juma')];
    await settled();
    answer('asha', reply(503, null, '30'));
    answer('juma', reply(503));
    expect(await Promise.all(checks)).toEqual([pause(30), UNAVAILABLE]);
    expect(await check('next')).toEqual(pause(30));
    expect(requested).toEqual(['asha', 'juma']);
  });

  it('pauses nothing after the clock was set back', async () => {
    const { check, later } = openBusy('asha', 503);
    await check('asha');
    expect(await later(-3_600_000, 'juma')).toEqual([identified('juma'), 2]);
  });

  it('without a usable time, or another status with one, pauses nothing', async () => {
    for (const [status, retryAfter] of [
      [503, 'soon'],
      [503, dateIn(-1_000)],
      [500, '7'],
    ] as const) {
      const { requested, check } = openBusy('asha', status, retryAfter);
      for (let i = 0; i < 2; i++) expect(await check('asha')).toEqual(UNAVAILABLE);
      expect(requested).toHaveLength(2);
    }
  });
});
