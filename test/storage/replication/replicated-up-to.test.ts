// Since when the replica is behind: by what was committed, and by what Litestream says.

import { expect, it } from 'vitest';
import { ReplicatedUpTo } from '../../../src/storage/replication/replicated-up-to.js';

/** A sync that covers every commit so far, and its end. */
function synced(upTo: ReplicatedUpTo, txid: number, replicatedTxid: number): void {
  upTo.ended(upTo.begin(), txid, replicatedTxid);
}

it('is behind since the first commit that no sync has covered', () => {
  const upTo = new ReplicatedUpTo();
  expect(upTo.behindSince).toBeUndefined();
  upTo.committed(5);
  upTo.committed(7);
  expect(upTo.behindSince).toBe(5);
  const mark = upTo.begin();
  expect(upTo.behindSince).toBe(5);
  upTo.committed(9);
  expect(upTo.behindSince).toBe(5);
  upTo.ended(mark, 2, 2);
  expect(upTo.behindSince).toBe(9);
  synced(upTo, 3, 3);
  expect(upTo.behindSince).toBeUndefined();
});

it('is behind since the same commit after a sync that failed', () => {
  const upTo = new ReplicatedUpTo();
  upTo.committed(5);
  const mark = upTo.begin();
  upTo.committed(9);
  upTo.failed(mark);
  expect(upTo.behindSince).toBe(5);
  synced(upTo, 2, 2);
  expect(upTo.behindSince).toBeUndefined();
  const empty = upTo.begin();
  upTo.committed(11);
  upTo.failed(empty);
  expect(upTo.behindSince).toBe(11);
});

it('is behind until the replica has the change that Litestream took', () => {
  const upTo = new ReplicatedUpTo();
  upTo.committed(5);
  synced(upTo, 2, 1);
  upTo.committed(9);
  synced(upTo, 3, 1);
  expect(upTo.behindSince).toBe(5);
  synced(upTo, 3, 2);
  expect(upTo.behindSince).toBe(9);
  synced(upTo, 3, 3);
  expect(upTo.behindSince).toBeUndefined();
});

it('is behind no more when a Litestream that counts anew has sent everything', () => {
  const upTo = new ReplicatedUpTo();
  upTo.committed(5);
  synced(upTo, 10, 8);
  synced(upTo, 2, 1);
  expect(upTo.behindSince).toBe(5);
  // The number of the replica may still be the old one.
  synced(upTo, 2, 8);
  expect(upTo.behindSince).toBeUndefined();
});

it('keeps a hundred waiting syncs, and counts later ones with the last of these', () => {
  const upTo = new ReplicatedUpTo();
  for (let txid = 1; txid <= 150; txid++) {
    upTo.committed(1_000 + txid);
    synced(upTo, txid, 0);
  }
  expect(upTo.behindSince).toBe(1_001);
  synced(upTo, 150, 98);
  expect(upTo.behindSince).toBe(1_099);
  synced(upTo, 150, 149);
  expect(upTo.behindSince).toBe(1_100);
  synced(upTo, 150, 150);
  expect(upTo.behindSince).toBeUndefined();
});
