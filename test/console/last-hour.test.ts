// What the console keeps of the last hour, and what it makes of a restart.

import { expect, it } from 'vitest';
import { LastHour } from '../../src/tools/console/last-hour.js';

const MINUTE_MS = 60_000;
const START = 1_000_000_000_000;

function reading(minute: number, total: number, more: { failed?: number; start?: string } = {}) {
  const buckets = new Map([
    [0.05, total - 1],
    [Number.POSITIVE_INFINITY, total],
  ]);
  const { failed = 0, start = 'a' } = more;
  return { at: START + minute * MINUTE_MS, startedAt: start, total, failed, buckets };
}

it('A stretch has the requests, errors and latency between two readings', () => {
  const hour = new LastHour();
  hour.add(reading(0, 100));
  expect(hour.stretches).toEqual([]);
  hour.add(reading(1, 150, { failed: 3 }));
  hour.add(reading(2, 150, { failed: 3 }));
  const [from, to] = [START, START + MINUTE_MS];
  expect(hour.stretches).toEqual([
    { from, to, requests: 50, failed: 3, p95Seconds: 0.05 },
    { from: to, to: to + MINUTE_MS, requests: 0, failed: 0, p95Seconds: undefined },
  ]);
});

it('A restart of the service is a gap, and a silent time is one long stretch', () => {
  const hour = new LastHour();
  hour.add(reading(0, 100));
  hour.add(reading(1, 200));
  hour.add(reading(2, 5, { start: 'b' }));
  hour.add(reading(12, 25, { start: 'b' }));
  const spans = hour.stretches.map(({ from, to, requests }) => [
    (from - START) / MINUTE_MS,
    (to - START) / MINUTE_MS,
    requests,
  ]);
  expect(spans).toEqual([
    [0, 1, 100],
    [2, 12, 20],
  ]);
});

it('An hour is kept, however often pages read meanwhile', () => {
  const hour = new LastHour();
  for (let tenth = 0; tenth <= 1_000; tenth++) hour.add(reading(tenth / 10, tenth + 1));
  const { stretches } = hour;
  expect(stretches.length).toBeLessThanOrEqual(120);
  expect(stretches[0]?.from).toBeGreaterThanOrEqual(START + 40 * MINUTE_MS);
  // Nothing between two kept readings is lost.
  const sum = stretches.reduce((total, { requests }) => total + requests, 0);
  expect(sum).toBeGreaterThanOrEqual(590);
});

it('A clock that was set back begins anew', () => {
  const hour = new LastHour();
  hour.add(reading(60, 10));
  hour.add(reading(0, 20));
  hour.add(reading(1, 30));
  expect(hour.stretches.map(({ requests }) => requests)).toEqual([10]);
});
