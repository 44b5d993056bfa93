// What the benchmark computes: its sample of records, its statistics, its table.

import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../scripts/bench/data-set.js';
import { median, medianRatio, percentile } from '../../scripts/bench/statistics.js';
import { isReached, type Line, loadLines } from '../../scripts/bench/table.js';

describe('A sample of the records', () => {
  const data = {
    file: '',
    payloadBytes: 0,
    accounts: [
      { prefix: 'one', owners: 1, records: 10, first: 1 },
      { prefix: 'many', owners: 3, records: 12, first: 11 },
    ],
  };

  it('is spread evenly over the accounts of a group, never exceeds it, and names each record’s owner', () => {
    expect(sampleOf(data, 'one', 100)).toHaveLength(10);
    expect(sampleOf(data, 'one', 2)).toEqual([
      { owner: 'one-0', id: 'CUS-0001' },
      { owner: 'one-0', id: 'CUS-0006' },
    ]);
    expect(sampleOf(data, 'many', 4)).toEqual([
      { owner: 'many-0', id: 'CUS-0011' },
      { owner: 'many-1', id: 'CUS-0015' },
      { owner: 'many-2', id: 'CUS-0019' },
      { owner: 'many-0', id: 'CUS-0020' },
    ]);
  });
});

it('The median is the middle, or the mean of the two in the middle', () => {
  const values = [9, 1, 5];
  expect([median(values), median([10, 2, 1, 4])]).toEqual([5, 3]);
  expect(values).toEqual([9, 1, 5]);
  expect(() => median([])).toThrow('nothing was measured');
});

it('Ratios are computed per round, for rounds that both sides have', () => {
  // A round that was slow for both sides does not count against either.
  expect(medianRatio([100, 10, 90], [200, 20, 100])).toBe(0.5);
  expect(medianRatio([100, 1], [50])).toBe(2);
});

it('A percentile is a value that was measured', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0, 50, 99, 100].map((percent) => percentile(hundred, percent))).toEqual([1, 50, 99, 100]);
});

describe('The table', () => {
  const line: Line = { workload: 'read', who: 'floor', result: '' };

  it('compares our service with the other by throughput and by processor time', () => {
    const measured = (name: string, perSecond: number, cpu: number) => {
      const round = { requests: 1, perSecond, p50: 1, p99: 2, p999: 3, cpu };
      return { name, rounds: [round, round] };
    };
    const lines = loadLines('read', [measured('ours', 900, 11), measured('floor', 1000, 10)]);
    expect(lines[0]).toMatchObject({ who: 'ours', result: '900/s', cpu: 11 });
    expect(lines[0]).not.toHaveProperty('ratio');
    expect(lines[1]).toMatchObject({ ratio: 0.9, cpuRatio: expect.closeTo(10 / 11) });
  });

  it.each([
    [{ ratio: 0.9, goal: { kind: 'least', limit: 0.9 } } as const, true],
    [{ ratio: 0.89, goal: { kind: 'least', limit: 0.9 } } as const, false],
    [{ ratio: 1.6, goal: { kind: 'most', limit: 1.5 } } as const, false],
    [{ ratio: 1 } as const, undefined],
    [{ ratio: Number.NaN, goal: { kind: 'most', limit: 2 } } as const, false],
  ])('reports whether %j reaches its goal: %s', (part, expected) => {
    expect(isReached({ ...line, ...part })).toBe(expected);
  });
});
