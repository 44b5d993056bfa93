// What is counted, and what it looks like to Prometheus, read back by a parser of its format.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { familyText, Histogram } from '../../src/hosts/operations/exposition.js';
import { Meter } from '../../src/hosts/operations/meter.js';
import { HELP } from '../../src/hosts/operations/metrics.js';
import { RequestMetrics } from '../../src/hosts/operations/request-metrics.js';
import { parseMetrics } from '../support/operations.js';
import { textOf } from '../support/pages.js';
import { finishedRequest } from './finished-request.js';

const MINUTE_MS = 60_000;
const LABELS = { route: '/api/v1/customers', method: 'GET' };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('The text of a histogram counts in each bucket the values up to its bound', () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 1, 7]) histogram.observe(value);
  const [family] = parseMetrics(familyText('took', 'Seconds.', [[{}, histogram]]));
  expect(family).toMatchObject({ name: 'took', help: 'Seconds.', type: 'HISTOGRAM' });
  const buckets = { '0.1': '2', '1': '4', '+Inf': '5' };
  expect(family?.metrics[0]).toMatchObject({ buckets, count: '5', sum: '8.65' });
});

it('The alert rules and the dashboard use only metrics that exist', () => {
  const texts = ['alerts.yml', 'dashboard.json'].map((name) =>
    textOf(`scripts/operations/${name}`),
  );
  const named = new Set(texts.join('\n').match(/\b(?:service|process)_[a-z_]+\b/g));
  expect(named.size).toBeGreaterThan(25);
  const missing = [...named].filter((name) => !(name.replace(/_(bucket|sum|count)$/, '') in HELP));
  // A log event that an alert mentions.
  expect(missing).toEqual(['process_failed']);
});

it('Aborted requests are counted separately, and unknown methods together', () => {
  const requests = new RequestMetrics();
  requests.add(finishedRequest({ status: 200 }));
  requests.add(finishedRequest({ status: 200, aborted: true }));
  requests.add(finishedRequest({ status: undefined, aborted: true }));
  for (let i = 0; i < 100; i++) requests.add(finishedRequest({ method: `INVENTED${i}` }));
  expect(requests.counts).toEqual([
    [{ ...LABELS, status: '200' }, 1],
    [{ ...LABELS, status: 'aborted' }, 2],
    [{ ...LABELS, method: 'other', status: '200' }, 100],
  ]);
  expect(requests.totals).toMatchObject({ total: 103, failed: 0, aborted: 2 });
});

it('Each minute has its number of requests, errors and p95; the last minute isn’t over', () => {
  const requests = new RequestMetrics();
  const at = (milliseconds: number) => new Date(1_000_000_000_000 + milliseconds).toISOString();
  const add = (many: number, milliseconds: number, status: number) => {
    for (let i = 0; i < many; i++) requests.add(finishedRequest({ milliseconds, status }));
  };
  add(95, 20, 200);
  add(5, 200, 500);
  vi.advanceTimersByTime(MINUTE_MS);
  requests.tick();
  add(1, 60_000, 200);
  vi.advanceTimersByTime(1_000);
  expect(requests.lastHour).toEqual([
    { from: at(0), to: at(MINUTE_MS), requests: 100, failed: 5, p95_seconds: 0.025 },
    // Above the highest bound of the metrics.
    { from: at(MINUTE_MS), to: at(61_000), requests: 1, failed: 0, p95_seconds: 5 },
  ]);
});

it('Requests of sixty minutes are kept, each in one minute', () => {
  const requests = new RequestMetrics();
  for (let minute = 0; minute < 200; minute++) {
    requests.add(finishedRequest());
    requests.tick();
  }
  const minutes = requests.lastHour;
  expect(minutes).toHaveLength(60);
  expect(minutes.reduce((sum, minute) => sum + minute.requests, 0)).toBe(59);
});

it('Commits fail from the first failure until one succeeds', () => {
  const meter = new Meter();
  const commit = (status: 'committed' | 'notStored', reason?: string) => {
    vi.advanceTimersByTime(250);
    meter.commitEnded(status, 2, 250, reason && new Error(reason));
  };
  commit('notStored', 'SQLITE_FULL: no room');
  const failing_since = new Date().toISOString();
  expect(meter.writes).toMatchObject({ failing_since, failing_reason: 'SQLITE_FULL: no room' });
  commit('notStored', 'SQLITE_IOERR');
  expect(meter.writes).toMatchObject({ failing_since, failing_reason: 'SQLITE_IOERR' });
  commit('committed');
  expect(meter.writes).toMatchObject({ failing_since: null, failing_reason: null });
  expect(meter.writes.commits).toMatchObject({ committed: 1, notStored: 2 });
  expect([meter.commitDurations.sum, meter.groupSizes.sum]).toEqual([0.75, 6]);
});
