// The benchmark's table: ratios the right way round, goals judged.

import { describe, expect, it } from 'vitest';
import { isReached, type Line, loadLines, tableOf } from '../../scripts/bench/table.js';

function measured(name: string, perSecond: number, cpu: number) {
  const round = { requests: 1, perSecond, p50: 1, p99: 2, p999: 3, cpu };
  return { name, rounds: [round, round] };
}

describe('loadLines', () => {
  const [ours, floor] = loadLines(
    'read',
    [measured('ours', 900, 11), measured('floor', 1000, 10)],
    {
      floor: { kind: 'least', limit: 0.9 },
    },
  );

  it('puts our service first, without a comparison', () => {
    expect(ours).toMatchObject({ who: 'ours', result: '900/s', cpu: 11 });
    expect(ours).not.toHaveProperty('ratio');
  });

  it('compares our service with the other by throughput and by processor time', () => {
    expect(floor?.ratio).toBe(0.9);
    expect(floor?.cpuRatio).toBeCloseTo(10 / 11);
  });
});

describe('isReached', () => {
  const line: Line = { workload: 'read', who: 'floor', result: '' };

  it.each([
    [{ ratio: 0.9, goal: { kind: 'least', limit: 0.9 } } as const, true],
    [{ ratio: 0.89, goal: { kind: 'least', limit: 0.9 } } as const, false],
    [{ ratio: 1.6, goal: { kind: 'most', limit: 1.5 } } as const, false],
    [{ rated: 24, goal: { kind: 'most', limit: 25 } } as const, true],
    [{ ratio: 1 } as const, undefined],
    [{ ratio: Number.NaN, goal: { kind: 'most', limit: 2 } } as const, false],
  ])('of %j is %s', (part, expected) => {
    expect(isReached({ ...line, ...part })).toBe(expected);
  });
});

describe('tableOf', () => {
  it('is Markdown, with each workload named once', () => {
    const text = tableOf([
      { workload: 'read', who: 'ours', result: '31 403/s', cpu: Number.NaN },
      {
        workload: 'read',
        who: 'floor',
        result: '1/s',
        ratio: 31.4,
        goal: { kind: 'least', limit: 1 },
      },
    ]);
    const [, ruler, ours = '', floor = ''] = text.split('\n');
    expect(ruler).toMatch(/^\|(-+\|)+$/);
    expect(ours.split('|').map((cell) => cell.trim())).toEqual([
      '',
      'read',
      'ours',
      '31 403/s',
      '',
      '',
      '',
      '',
      '',
      '',
    ]);
    expect(floor).toMatch(/^\| +\| floor +\|.*\| 31 × +\|.*\| ≥ 1 reached +\|$/);
  });
});
