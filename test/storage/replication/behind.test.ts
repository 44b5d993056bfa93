// Since when the replica lacks a commit, over syncs that it confirms later, in part, or not at all.

import { expect, it } from 'vitest';
import { Behind } from '../../../src/storage/replication/behind.js';

it('is the oldest commit that the replica is not known to have', () => {
  const behind = new Behind();
  expect(behind.since).toBeUndefined();
  behind.committed(10);
  behind.committed(11);
  expect(behind.since).toBe(10);
  behind.syncBegan();
  behind.committed(12);
  behind.syncEnded(5, 4);
  expect(behind.since).toBe(10);
  behind.syncBegan();
  behind.committed(13);
  behind.syncEnded(6, 5);
  expect(behind.since).toBe(12);
  behind.syncBegan();
  behind.syncEnded(7, 7);
  expect(behind.since).toBeUndefined();
});

it('keeps the commits of a sync that failed for the next one', () => {
  const behind = new Behind();
  behind.committed(10);
  behind.syncBegan();
  behind.committed(11);
  expect(behind.since).toBe(10);
  behind.syncBegan();
  behind.syncEnded(5, 5);
  expect(behind.since).toBeUndefined();
});

it('does not count on the numbers of an earlier Litestream', () => {
  const behind = new Behind();
  behind.committed(10);
  behind.syncBegan();
  behind.syncEnded(900, 899);
  behind.syncBegan();
  behind.syncEnded(2, 2);
  expect(behind.since).toBeUndefined();
});

it('keeps the oldest of very many', () => {
  const behind = new Behind();
  for (let second = 1; second <= 1_000; second++) {
    behind.committed(second);
    behind.syncBegan();
    behind.syncEnded(second, 0);
  }
  expect(behind.since).toBe(1);
  behind.syncBegan();
  behind.syncEnded(1_001, 1);
  // The latest are kept one by one.
  expect(behind.since).toBe(902);
});
