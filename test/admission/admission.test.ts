// How much of an account is under way: its requests, and the bytes of bodies and answers, bounded
// for each account and in all, and fair between accounts.

import { expect, it } from 'vitest';
import { Admission } from '../../src/core/admission/admission.js';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { turn } from '../records/map-storage.js';

const KIB_64 = 65_536;
const MIB = 1_048_576;
const stays = () => false;
/** Two small requests of an account, three of all. */
const LIMITS = { accountMaxBytes: 2 * KIB_64, totalMaxBytes: 3 * KIB_64, ownShareBytes: 0 };

function open(limits: ConstructorParameters<typeof Admission>[1] = {}) {
  const scheduler = new FairScheduler({ pause: turn, stopwatch: () => 0 });
  const admission = new Admission(scheduler, limits);
  const begun: string[] = [];
  const take = (account: string, bytes = KIB_64) => {
    const turn = admission.begin(account, bytes, stays);
    if (turn === undefined) begun.push(account);
    else void turn.then(() => begun.push(account));
  };
  return { admission, begun, take };
}

/** Longer than the scheduler takes to serve what may begin. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}

it('lets an account wait beyond its own limit, and no other account with it', async () => {
  const { admission, begun, take } = open({ ...LIMITS, totalMaxBytes: 9 * KIB_64 });
  for (const account of ['a', 'a', 'a', 'b']) take(account);
  await turns();
  expect(begun).toEqual(['a', 'a', 'b']);
  take('c');
  expect(begun.at(-1)).toBe('c');
  admission.end('a', KIB_64);
  await turns();
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a']);
});

it('always grants an account its own share, with any amount held by others', async () => {
  const { begun, take } = open({ ...LIMITS, ownShareBytes: KIB_64 });
  for (const account of ['a', 'a', 'b', 'b', 'c', 'c']) take(account);
  await turns();
  expect(begun).toEqual(['a', 'a', 'b', 'c']);
});

it('begins by default 256 small requests of an account, 12 bodies beside 64 of them, and an own share of each account', async () => {
  const { begun, take } = open();
  for (let i = 0; i < 300; i++) take('small');
  for (let i = 0; i < 20; i++) take('large', MIB);
  await turns();
  for (let i = 0; i < 100; i++) take('large');
  for (let i = 0; i < 2; i++) take('another', MIB);
  for (let i = 0; i < 9; i++) take('another');
  await turns();
  const count = (account: string) => begun.filter((one) => one === account).length;
  expect([count('small'), count('large'), count('another')]).toEqual([256, 12 + 64, 2 + 9]);
  // 64 MiB in all: what others hold leaves each its own share.
  for (let i = 0; i < 4; i++) for (let j = 0; j < 20; j++) take(`full ${i}`, MIB);
  for (let i = 0; i < 2; i++) take('late', MIB);
  await turns();
  expect(count('late')).toBe(1);
});

it('lets no small request wait behind a large one', async () => {
  const { admission, begun, take } = open({ accountMaxBytes: 4 * KIB_64, ownShareBytes: 0 });
  take('a', 3 * KIB_64);
  take('a', 2 * KIB_64);
  take('a');
  await turns();
  expect(begun).toEqual(['a', 'a']);
  admission.end('a', 3 * KIB_64);
  await turns();
  expect(begun).toHaveLength(3);
});

it('ends the wait of clients that have gone, and forgets an account of which all have', async () => {
  const { admission, take, begun } = open({ ...LIMITS, totalMaxBytes: 2 * KIB_64 });
  take('a');
  take('a');
  const gone = Array.from({ length: 40 }, async () => admission.begin('b', KIB_64, () => true));
  const settled = Promise.allSettled(gone);
  take('c');
  admission.end('a', KIB_64);
  expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(['rejected']));
  await turns();
  expect(begun).toEqual(['a', 'a', 'c']);
  expect(admission.heldBytes).toBe(2 * KIB_64);
});

it('counts a request while it runs: until it fails, or is answered', async () => {
  const { admission } = open({ ...LIMITS, accountMaxBytes: KIB_64 });
  const fails = () => {
    throw new Error('no record');
  };
  expect(() => admission.run('a', 0, stays, fails)).toThrow('no record');
  await expect(admission.run('a', 0, stays, async () => fails())).rejects.toThrow('no record');
  expect(admission.run('a', 0, stays, () => 1)).toBe(1);
  let end = (_: string) => {};
  const first = admission.run('a', 0, stays, () => new Promise<string>((done) => (end = done)));
  const begun: string[] = [];
  const second = admission.run('a', 0, stays, () => begun.push('second'));
  await turns();
  expect(begun).toEqual([]);
  end('first');
  expect([await first, await second]).toEqual(['first', 1]);
  expect(admission.heldBytes).toBe(0);
});
