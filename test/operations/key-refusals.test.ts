// How refused admin keys are counted: all of them, and the newest by the minute.

import { expect, it } from 'vitest';
import { KeyRefusals } from '../../src/hosts/operations/key-refusals.js';

it('Refusals of one minute are one entry, and the newest ten stay', () => {
  const refusals = new KeyRefusals();
  for (const now of [0, 1_000, 59_999]) refusals.add(now);
  expect(refusals.newest).toEqual([{ from: 0, to: 59_999, count: 3 }]);
  for (let entry = 1; entry <= 12; entry++) refusals.add(entry * 60_000);
  expect(refusals.total).toBe(15);
  expect(refusals.newest).toHaveLength(10);
  expect(refusals.newest[0]).toEqual({ from: 720_000, to: 720_000, count: 1 });
  expect(refusals.newest[9]).toEqual({ from: 180_000, to: 180_000, count: 1 });
});

it('A clock that was set back begins a new entry', () => {
  const refusals = new KeyRefusals();
  refusals.add(10 * 60_000);
  refusals.add(60_000);
  expect(refusals.newest.map(({ from }) => from)).toEqual([60_000, 600_000]);
});
