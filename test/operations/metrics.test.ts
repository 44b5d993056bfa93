// What the figures look like to Prometheus, read back by a parser of its format.

import parse from 'parse-prometheus-text-format';
import { describe, expect, it } from 'vitest';
import { Exposition } from '../../src/hosts/operations/exposition.js';
import { Histogram } from '../../src/hosts/operations/histogram.js';
import { Meter } from '../../src/hosts/operations/meter.js';
import { RequestSeries } from '../../src/hosts/operations/request-series.js';
import { finishedRequest } from '../support/finished-request.js';

describe('The text of /metrics', () => {
  it('holds label values with quotes, backslashes and line ends', () => {
    const exposition = new Exposition();
    const odd = 'a"b\\c\nd';
    exposition.gauge('odd', 'A label.', [[{ name: odd }, 2]]);
    expect(parse(exposition.text)).toEqual([
      {
        name: 'odd',
        help: 'A label.',
        type: 'GAUGE',
        metrics: [{ value: '2', labels: { name: odd } }],
      },
    ]);
  });

  it('leaves out a figure that is not available', () => {
    const exposition = new Exposition();
    exposition.gauge('unknown', 'Nobody knows.', undefined);
    expect(exposition.text).toBe('');
  });

  it('counts in each histogram bucket the values up to its bound', () => {
    const histogram = new Histogram([0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 1, 7]) histogram.observe(value);
    const exposition = new Exposition();
    exposition.histogram('took', 'Seconds.', [[{}, histogram]]);
    const [family] = parse(exposition.text);
    expect(family?.type).toBe('HISTOGRAM');
    expect(family?.metrics[0]).toMatchObject({
      buckets: { '0.1': '2', '1': '4', '+Inf': '5' },
      count: '5',
      sum: '8.65',
    });
  });
});

describe('Requests', () => {
  it('that were not answered to the end are counted apart, with any status', () => {
    const series = new RequestSeries();
    series.add(finishedRequest({ status: 200 }));
    series.add(finishedRequest({ status: 200, aborted: true }));
    series.add(finishedRequest({ status: undefined, aborted: true }));
    expect([...series.counts()]).toEqual([
      [{ route: '/api/v1/customers', method: 'GET', status: '200' }, 1],
      [{ route: '/api/v1/customers', method: 'GET', status: 'aborted' }, 2],
    ]);
    expect(series.totals).toMatchObject({ total: 3, failed: 0, aborted: 2 });
  });

  it('of unknown methods make one series', () => {
    const series = new RequestSeries();
    for (let i = 0; i < 100; i++) series.add(finishedRequest({ method: `INVENTED${i}` }));
    expect([...series.counts()]).toEqual([
      [{ route: '/api/v1/customers', method: 'other', status: '200' }, 100],
    ]);
  });
});

describe('Commits', () => {
  it('fail from the first failure until one succeeds', () => {
    let time = 1_000;
    const meter = new Meter({ now: () => time, clock: () => time });
    meter.commitStarted(3);
    time = 1_250;
    meter.commitFinished('notStored', new Error('SQLITE_FULL: no room'));
    expect(meter.writeFailure).toEqual({ since: 1_250, reason: 'SQLITE_FULL: no room' });
    time = 2_000;
    meter.commitStarted(1);
    meter.commitFinished('storedUnconfirmed', new Error('SQLITE_IOERR'));
    expect(meter.writeFailure).toEqual({ since: 1_250, reason: 'SQLITE_IOERR' });
    meter.commitStarted(1);
    meter.commitFinished('committed');
    expect(meter.writeFailure).toBeUndefined();
    expect(Object.fromEntries(meter.commits)).toEqual({
      committed: 1,
      notStored: 1,
      storedUnconfirmed: 1,
      unknown: 0,
    });
    expect(meter.commitDurations.sum).toBe(0.25);
    expect(meter.groupSizes.sum).toBe(5);
  });

  it('do not count as recovered after a trial that began before the last failure', () => {
    const meter = new Meter({ now: () => 0, clock: () => 0 });
    meter.commitStarted(1);
    meter.commitFinished('notStored', new Error('first'));
    const seen = meter.writeFailure;
    meter.commitStarted(1);
    meter.commitFinished('notStored', new Error('second'));
    if (seen !== undefined) meter.writesRecovered(seen);
    expect(meter.writeFailure?.reason).toBe('second');
  });
});
