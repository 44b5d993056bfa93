// How many bytes of bodies and answers are held: bounded for each account and
// in all, and fair between accounts.

import { expect, it } from 'vitest';
import { ByteAllowance, UNLIMITED } from '../../src/http/byte-allowance.js';

const stays = () => false;
const LIMITS = { accountMaxBytes: 100, totalMaxBytes: 250, ownShareBytes: 10 };

/** Takes bytes and notes when they are granted. */
function taker(allowance: ByteAllowance) {
  const granted: string[] = [];
  const take = (account: string, bytes: number) => {
    const taken = allowance.take(account, bytes, stays);
    if (taken === true) granted.push(account);
    else if (taken !== false) void taken.then(() => granted.push(account));
  };
  return { granted, take };
}

it('grants at once within the limits of the account and of all', () => {
  const allowance = new ByteAllowance(LIMITS);
  for (const account of ['a', 'b']) expect(allowance.take(account, 100, stays)).toBe(true);
  expect(allowance.take('c', 50, stays)).toBe(true);
  expect(allowance.heldBytes).toBe(250);
});

it('makes an account wait beyond its own limit until it returns bytes', async () => {
  const allowance = new ByteAllowance(LIMITS);
  const { granted, take } = taker(allowance);
  for (let i = 0; i < 3; i++) take('a', 50);
  expect(granted).toEqual(['a', 'a']);
  take('b', 50);
  expect(granted).toEqual(['a', 'a', 'b']);
  allowance.give('a', 50);
  await Promise.resolve();
  expect(granted).toEqual(['a', 'a', 'b', 'a']);
});

it('always grants an account its own share, with any amount held by others', () => {
  const allowance = new ByteAllowance(LIMITS);
  for (const account of ['a', 'b']) allowance.take(account, 100, stays);
  allowance.take('c', 50, stays);
  const { granted, take } = taker(allowance);
  take('d', 11);
  expect(granted).toEqual([]);
  take('e', 10);
  expect(granted).toEqual(['e']);
});

it('grants to waiting accounts in rotation', async () => {
  const allowance = new ByteAllowance({ ...LIMITS, totalMaxBytes: 100, ownShareBytes: 0 });
  const { granted, take } = taker(allowance);
  for (const account of ['a', 'a', 'a', 'a', 'b', 'c']) take(account, 50);
  for (let i = 0; i < 4; i++) {
    allowance.give(granted[i] ?? '', 50);
    await Promise.resolve();
  }
  expect(granted.join('')).toBe('aaabca');
});

it('holds nothing after all have returned their bytes', async () => {
  const allowance = new ByteAllowance(LIMITS);
  const { granted, take } = taker(allowance);
  const accounts = ['a', 'b', 'c', 'a', 'b', 'c', 'a'];
  for (const account of accounts) take(account, 90);
  for (let i = 0; i < accounts.length; i++) {
    await Promise.resolve();
    allowance.give(granted[i] ?? '', 90);
  }
  await Promise.resolve();
  expect(granted.toSorted()).toEqual(accounts.toSorted());
  expect(allowance.heldBytes).toBe(0);
});

it('holds by default 16 MiB for an account and 64 MiB in all, beyond the own shares', () => {
  const allowance = new ByteAllowance();
  const megabyte = 1_048_576;
  for (let i = 0; i < 4; i++) {
    expect(allowance.take(`account ${i}`, 16 * megabyte, stays)).toBe(true);
    expect(allowance.take(`account ${i}`, 1, stays)).toBeInstanceOf(Promise);
  }
  // One body of the largest size and one long answer.
  expect(allowance.take('another', 1_048_576 + 393_216, stays)).toBe(true);
  expect(allowance.take('another', 1, stays)).toBeInstanceOf(Promise);
});

it('grants any number of bytes at once where there is no limit', () => {
  const allowance = new ByteAllowance(UNLIMITED);
  for (let i = 0; i < 3; i++) expect(allowance.take('neema', 1e12, stays)).toBe(true);
});

it('releases a claim whose client has gone while others wait before it', async () => {
  const allowance = new ByteAllowance(LIMITS);
  const { take } = taker(allowance);
  take('a', 100);
  const gone = new Set<number>();
  let released = 0;
  for (let i = 0; i < 1_000; i++) {
    // All but the first and the newest few have gone.
    const taken = allowance.take('a', 10, () => gone.has(i));
    if (typeof taken !== 'boolean') void taken.then((isHeld) => (released += isHeld ? 0 : 1));
    if (i > 3) gone.add(i - 3);
  }
  await Promise.resolve();
  expect(released).toBeGreaterThan(900);
  expect(allowance.heldBytes).toBe(100);
});

it('forgets an account whose waiting clients have all gone', async () => {
  const allowance = new ByteAllowance({ ...LIMITS, totalMaxBytes: 100, ownShareBytes: 0 });
  allowance.take('a', 100, stays);
  for (let i = 0; i < 40; i++) void allowance.take('b', 10, () => true);
  const later = allowance.take('c', 50, stays);
  allowance.give('a', 100);
  expect(await later).toBe(true);
  expect(allowance.take('d', 50, stays)).toBe(true);
  expect(allowance.heldBytes).toBe(100);
});
