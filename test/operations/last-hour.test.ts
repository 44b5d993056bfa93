// The last hour of a service: what each minute had, and what is left of it after an hour.

import { expect, it } from 'vitest';
import { Meter } from '../../src/hosts/operations/meter.js';
import { finishedRequest } from '../support/finished-request.js';

const MINUTE_MS = 60_000;

function openMeter() {
  const clock = { now: 1_000_000_000_000 };
  const meter = new Meter({ now: () => clock.now, clock: () => clock.now });
  const pass = (milliseconds: number) => {
    clock.now += milliseconds;
  };
  return { meter, pass, minutes: () => meter.lastHour.minutes(clock.now), now: () => clock.now };
}

it('A minute has its requests, errors and p95; the last one is under way', () => {
  const { meter, pass, minutes, now } = openMeter();
  expect(minutes()).toEqual([]);
  for (let made = 0; made < 95; made++)
    meter.requestFinished(finishedRequest({ milliseconds: 20 }));
  for (let made = 0; made < 5; made++) {
    meter.requestFinished(finishedRequest({ milliseconds: 200, status: 500 }));
  }
  pass(MINUTE_MS);
  meter.lastHour.tick(now());
  meter.requestFinished(finishedRequest({ milliseconds: 60_000 }));
  pass(1_000);
  meter.lastHour.tick(now());
  pass(500);
  const [from, to] = [now() - 1_500 - MINUTE_MS, now() - 1_500];
  expect(minutes()).toEqual([
    { from, to, requests: 100, failed: 5, p95Seconds: 0.025 },
    // Above the highest bound of the metrics.
    { from: to, to: to + 1_000, requests: 1, failed: 0, p95Seconds: 5 },
    { from: to + 1_000, to: now(), requests: 0, failed: 0, p95Seconds: undefined },
  ]);
});

it('Sixty minutes are kept, each request in one of them', () => {
  const { meter, pass, minutes, now } = openMeter();
  for (let minute = 0; minute < 200; minute++) {
    meter.requestFinished(finishedRequest());
    pass(MINUTE_MS);
    meter.lastHour.tick(now());
  }
  pass(1);
  expect(minutes()).toHaveLength(60);
  expect(minutes().reduce((sum, { requests }) => sum + requests, 0)).toBe(59);
  expect(minutes()[0]?.from).toBe(now() - 1 - 59 * MINUTE_MS);
});

it('A clock that was set back leaves out the minute in which it was', () => {
  const { meter, pass, minutes, now } = openMeter();
  pass(-10 * MINUTE_MS);
  meter.lastHour.tick(now());
  pass(MINUTE_MS);
  expect(minutes()).toHaveLength(1);
});
