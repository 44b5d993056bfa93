// What is counted, and what it looks like to Prometheus, read back by a parser of its format.

import { describe, expect, it } from 'vitest';
import { familyText, Histogram } from '../../src/hosts/operations/exposition.js';
import { Meter } from '../../src/hosts/operations/meter.js';
import { HELP } from '../../src/hosts/operations/metrics.js';
import { RequestSeries } from '../../src/hosts/operations/request-series.js';
import { finishedRequest } from '../support/finished-request.js';
import { parseMetrics } from '../support/operations.js';
import { textOf } from '../support/pages.js';

const MINUTE_MS = 60_000;

function openMeter() {
  const clock = { now: 1_000_000_000_000 };
  return { clock, meter: new Meter({ now: () => clock.now, clock: () => clock.now }) };
}

describe('The text of /metrics', () => {
  it('holds label values with quotes, backslashes and line ends', () => {
    const name = 'a"b\\c\nd';
    const text = familyText('odd', 'A label.', { samples: [[{ name }, 2]] });
    const metrics = [{ value: '2', labels: { name } }];
    expect(parseMetrics(text)).toEqual([{ name: 'odd', help: 'A label.', type: 'GAUGE', metrics }]);
  });

  it('counts in each histogram bucket the values up to its bound', () => {
    const histogram = new Histogram([0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 1, 7]) histogram.observe(value);
    const [family] = parseMetrics(familyText('took', 'Seconds.', { series: [[{}, histogram]] }));
    expect(family?.type).toBe('HISTOGRAM');
    const buckets = { '0.1': '2', '1': '4', '+Inf': '5' };
    expect(family?.metrics[0]).toMatchObject({ buckets, count: '5', sum: '8.65' });
  });
});

it('The alert rules and the dashboard name only metrics that there are', () => {
  const texts = ['alerts.yml', 'dashboard.json'].map((name) =>
    textOf(`scripts/operations/${name}`),
  );
  const named = new Set(texts.join('\n').match(/\b(?:service|process)_[a-z_]+\b/g));
  expect(named.size).toBeGreaterThan(25);
  const missing = [...named].filter((name) => !(name.replace(/_(bucket|sum|count)$/, '') in HELP));
  // An event of the log that an alert points to.
  expect(missing).toEqual(['process_failed']);
});

describe('Requests', () => {
  it('that were not answered to the end are counted apart, with any status', () => {
    const series = new RequestSeries();
    series.add(finishedRequest({ status: 200 }));
    series.add(finishedRequest({ status: 200, aborted: true }));
    series.add(finishedRequest({ status: undefined, aborted: true }));
    const labels = { route: '/api/v1/customers', method: 'GET' };
    expect(series.counts).toEqual([
      [{ ...labels, status: '200' }, 1],
      [{ ...labels, status: 'aborted' }, 2],
    ]);
    expect(series.totals).toMatchObject({ total: 3, failed: 0, aborted: 2 });
  });

  it('of unknown methods make one series', () => {
    const series = new RequestSeries();
    for (let i = 0; i < 100; i++) series.add(finishedRequest({ method: `INVENTED${i}` }));
    expect(series.counts).toEqual([
      [{ route: '/api/v1/customers', method: 'other', status: '200' }, 100],
    ]);
  });

  it('of a minute have their number, errors and p95; the last minute is under way', () => {
    const { meter, clock } = openMeter();
    const at = (milliseconds: number) => new Date(clock.now + milliseconds).toISOString();
    const [start, next, now] = [at(0), at(MINUTE_MS), at(MINUTE_MS + 1_000)];
    const add = (many: number, milliseconds: number, status: number) => {
      for (let i = 0; i < many; i++)
        meter.requestFinished(finishedRequest({ milliseconds, status }));
    };
    expect(meter.lastHour.minutes(clock.now)).toEqual([]);
    add(95, 20, 200);
    add(5, 200, 500);
    clock.now += MINUTE_MS;
    meter.lastHour.tick(clock.now);
    add(1, 60_000, 200);
    clock.now += 1_000;
    expect(meter.lastHour.minutes(clock.now)).toEqual([
      { from: start, to: next, requests: 100, failed: 5, p95_seconds: 0.025 },
      // Above the highest bound of the metrics.
      { from: next, to: now, requests: 1, failed: 0, p95_seconds: 5 },
    ]);
    // A clock that was set back leaves out the minute in which it was.
    clock.now -= 10 * MINUTE_MS;
    expect(meter.lastHour.minutes(clock.now)).toHaveLength(1);
  });

  it('of sixty minutes are kept, each in one of them', () => {
    const { meter, clock } = openMeter();
    for (let minute = 0; minute < 200; minute++) {
      meter.requestFinished(finishedRequest());
      clock.now += MINUTE_MS;
      meter.lastHour.tick(clock.now);
    }
    const minutes = meter.lastHour.minutes(clock.now + 1);
    expect(minutes).toHaveLength(60);
    expect(minutes.reduce((sum, { requests }) => sum + requests, 0)).toBe(59);
  });
});

it('Commits fail from the first failure until one succeeds, or a trial that began after the last failure', () => {
  const { meter, clock } = openMeter();
  const commit = (status: 'committed' | 'notStored' | 'storedUnconfirmed', reason?: string) => {
    meter.commitStarted(2);
    clock.now += 250;
    meter.commitFinished(status, reason && new Error(reason));
  };
  commit('notStored', 'SQLITE_FULL: no room');
  const first = { since: clock.now, reason: 'SQLITE_FULL: no room' };
  expect(meter.writeFailure).toEqual(first);
  const seen = meter.writeFailure;
  commit('storedUnconfirmed', 'SQLITE_IOERR');
  if (seen !== undefined) meter.writesRecovered(seen);
  expect(meter.writeFailure).toEqual({ ...first, reason: 'SQLITE_IOERR' });
  commit('committed');
  expect(meter.writeFailure).toBeUndefined();
  expect(meter.commits).toMatchObject({ committed: 1, notStored: 1, storedUnconfirmed: 1 });
  expect([meter.commitDurations.sum, meter.groupSizes.sum]).toEqual([0.75, 6]);
});

it('Refused admin keys of one minute are one entry, and the newest ten stay', () => {
  const { meter, clock } = openMeter();
  const start = clock.now;
  const at = (milliseconds: number) => new Date(start + milliseconds).toISOString();
  for (const after of [0, 1_000, 59_999]) {
    clock.now = start + after;
    meter.adminKeyRefused();
  }
  expect(meter.keyRefusals).toEqual([{ from: at(0), to: at(59_999), count: 3 }]);
  for (let entry = 1; entry <= 12; entry++) {
    clock.now = start + entry * MINUTE_MS;
    meter.adminKeyRefused();
  }
  expect([meter.keysRefused, meter.keyRefusals.length]).toEqual([15, 10]);
  expect(meter.keyRefusals[9]?.from).toBe(at(3 * MINUTE_MS));
  // A clock that was set back begins a new entry.
  clock.now = start;
  meter.adminKeyRefused();
  expect(meter.keyRefusals[0]).toEqual({ from: at(0), to: at(0), count: 1 });
});
