// How much of an account is under way: its requests, and the bytes of bodies and answers,
// bounded for each account and in all, and fair between accounts.

import { expect, it } from 'vitest';
import { Admission, UNLIMITED } from '../../src/core/admission/admission.js';
import { turn } from '../records/map-storage.js';

const stays = () => false;
const LIMITS = { accountMaxBytes: 100, totalMaxBytes: 250, ownShareBytes: 10 };

/** Takes bytes and notes when they are granted. */
function taker(admission: Admission) {
  const granted: string[] = [];
  const take = (account: string, bytes: number) => {
    const taken = admission.acquire(account, bytes, stays);
    if (taken === undefined) granted.push(account);
    else void taken.then(() => granted.push(account));
  };
  return { granted, take };
}

it('grants at once within the limits of the account and of all', () => {
  const admission = new Admission(LIMITS);
  for (const account of ['a', 'b']) expect(admission.acquire(account, 100, stays)).toBeUndefined();
  expect(admission.acquire('c', 50, stays)).toBeUndefined();
  expect(admission.heldBytes).toBe(250);
});

it('makes an account wait beyond its own limit until it returns bytes', async () => {
  const admission = new Admission(LIMITS);
  const { granted, take } = taker(admission);
  for (let i = 0; i < 3; i++) take('a', 50);
  expect(granted).toEqual(['a', 'a']);
  take('b', 50);
  expect(granted).toEqual(['a', 'a', 'b']);
  admission.release('a', 50);
  await Promise.resolve();
  expect(granted).toEqual(['a', 'a', 'b', 'a']);
});

it('always grants an account its own share, with any amount held by others', () => {
  const admission = new Admission(LIMITS);
  for (const account of ['a', 'b']) admission.acquire(account, 100, stays);
  admission.acquire('c', 50, stays);
  const { granted, take } = taker(admission);
  take('d', 11);
  expect(granted).toEqual([]);
  take('e', 10);
  expect(granted).toEqual(['e']);
});

it('grants to waiting accounts in rotation', async () => {
  const admission = new Admission({ ...LIMITS, totalMaxBytes: 100, ownShareBytes: 0 });
  const { granted, take } = taker(admission);
  for (const account of ['a', 'a', 'a', 'a', 'b', 'c']) take(account, 50);
  for (let i = 0; i < 4; i++) {
    admission.release(granted[i] ?? '', 50);
    await Promise.resolve();
  }
  expect(granted.join('')).toBe('aaabca');
});

it('holds nothing after all have returned their bytes', async () => {
  const admission = new Admission(LIMITS);
  const { granted, take } = taker(admission);
  const accounts = ['a', 'b', 'c', 'a', 'b', 'c', 'a'];
  for (const account of accounts) take(account, 90);
  for (let i = 0; i < accounts.length; i++) {
    await Promise.resolve();
    admission.release(granted[i] ?? '', 90);
  }
  await Promise.resolve();
  expect(granted.toSorted()).toEqual(accounts.toSorted());
  expect(admission.heldBytes).toBe(0);
});

it('holds by default 16 MiB for an account and 64 MiB in all, beyond the own shares', () => {
  const admission = new Admission();
  const megabyte = 1_048_576;
  for (let i = 0; i < 4; i++) {
    expect(admission.acquire(`account ${i}`, 16 * megabyte, stays)).toBeUndefined();
    expect(admission.acquire(`account ${i}`, 1, stays)).toBeInstanceOf(Promise);
  }
  // One body of the largest size and one long answer.
  expect(admission.acquire('another', 1_048_576 + 393_216, stays)).toBeUndefined();
  expect(admission.acquire('another', 1, stays)).toBeInstanceOf(Promise);
});

it('grants any number of bytes at once where there is no limit', () => {
  const admission = new Admission(UNLIMITED);
  for (let i = 0; i < 3; i++) expect(admission.acquire('neema', 1e12, stays)).toBeUndefined();
});

it('releases a claim whose client has gone while others wait before it', async () => {
  const admission = new Admission(LIMITS);
  const { take } = taker(admission);
  take('a', 100);
  const gone = new Set<number>();
  let released = 0;
  for (let i = 0; i < 1_000; i++) {
    // All but the first and the newest few have gone.
    const taken = Promise.resolve(admission.acquire('a', 10, () => gone.has(i)));
    taken.catch((error: Error) => {
      expect(error.message).toContain('the connection was closed');
      released++;
    });
    if (i > 3) gone.add(i - 3);
  }
  await turn();
  expect(released).toBeGreaterThan(900);
  expect(admission.heldBytes).toBe(100);
});

it('forgets an account whose waiting clients have all gone', async () => {
  const admission = new Admission({ ...LIMITS, totalMaxBytes: 100, ownShareBytes: 0 });
  admission.acquire('a', 100, stays);
  const gone = Array.from({ length: 40 }, async () => admission.acquire('b', 10, () => true));
  const settled = Promise.allSettled(gone);
  const later = admission.acquire('c', 50, stays);
  admission.release('a', 100);
  expect(await later).toBeUndefined();
  expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(admission.acquire('d', 50, stays)).toBeUndefined();
  expect(admission.heldBytes).toBe(100);
});

it('begins so many requests of an account, and the next one when one of them ends', async () => {
  const admission = new Admission({ accountMaxBegun: 2 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (account: string) =>
    admission.run(account, stays, () => {
      begun.push(account);
      return new Promise<void>((end) => ends.push(end));
    });
  for (const account of ['a', 'a', 'a', 'a', 'b']) void ask(account);
  expect(begun.join('')).toBe('aab');
  ends[0]?.();
  await turn();
  expect(begun.join('')).toBe('aaba');
  ends[2]?.();
  await turn();
  expect(begun.join('')).toBe('aaba');
  ends[1]?.();
  await turn();
  expect(begun.join('')).toBe('aabaa');
});

it('counts a request that failed, or was answered at once, no longer', async () => {
  const admission = new Admission({ accountMaxBegun: 1 });
  const fails = () => {
    throw new Error('no record');
  };
  expect(() => admission.run('a', stays, fails)).toThrow('no record');
  await expect(admission.run('a', stays, async () => fails())).rejects.toThrow('no record');
  expect(admission.run('a', stays, () => 1)).toBe(1);
  expect(admission.run('a', stays, () => 2)).toBe(2);
});

it('does not begin a request whose client has gone while it waited', async () => {
  const admission = new Admission({ accountMaxBegun: 1 });
  let end = () => {};
  const first = admission.run('a', stays, () => new Promise<void>((done) => (end = done)));
  let isDisconnected = false;
  let hasBegun = false;
  const second = admission.run(
    'a',
    () => isDisconnected,
    async () => (hasBegun = true),
  );
  const refused = expect(second).rejects.toThrow('the connection was closed');
  isDisconnected = true;
  end();
  await first;
  await refused;
  expect(hasBegun).toBe(false);
  expect(admission.run('a', stays, () => 3)).toBe(3);
});
