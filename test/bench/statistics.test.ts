// What the benchmark computes from its rounds.

import { describe, expect, it } from 'vitest';
import { median, medianRatio, percentile } from '../../scripts/bench/statistics.js';

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[10, 2, 1, 4], 3],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('leaves its values as they are', () => {
    const values = [2, 1];
    median(values);
    expect(values).toEqual([2, 1]);
  });

  it('of an empty list is an error', () => {
    expect(() => median([])).toThrow('nothing was measured');
  });
});

describe('medianRatio', () => {
  it('compares round by round', () => {
    // A round that was slow for both sides does not count against either.
    expect(medianRatio([100, 10, 90], [200, 20, 100])).toBe(0.5);
  });

  it('leaves out the rounds that only one side has', () => {
    expect(medianRatio([100, 1], [50])).toBe(2);
  });
});

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    [50, 50],
    [99, 99],
    [100, 100],
    [0, 1],
  ])('%d of 1 to 100 is %d', (percent, expected) => {
    expect(percentile(hundred, percent)).toBe(expected);
  });
});
