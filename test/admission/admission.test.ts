// The memory that requests hold for bodies and long responses: bounded per account and in total,
// and shared fairly.

import { expect, it } from 'vitest';
import { Admission } from '../../src/core/admission/admission.js';

const MIB = 1_048_576;
const stays = () => false;
const turns = () => new Promise((resolve) => setImmediate(resolve));
/** Limits: two units per account, three in total. */
const LIMITS = { accountMaxBytes: 2, totalMaxBytes: 3, ownShareBytes: 0 };

function open(limits?: ConstructorParameters<typeof Admission>[0]) {
  const admission = new Admission(limits);
  const admitted: string[] = [];
  const acquire = (account: string, bytes = 1) => {
    const turn = admission.acquire(account, bytes, stays);
    if (turn === undefined) admitted.push(account);
    else void turn.then(() => admitted.push(account));
  };
  return { admission, admitted, acquire };
}

it('An account that reaches its limit waits, and delays no other account', async () => {
  const { admission, admitted, acquire } = open({ ...LIMITS, totalMaxBytes: 9 });
  for (const account of ['a', 'a', 'a', 'b']) acquire(account);
  expect(admitted).toEqual(['a', 'a', 'b']);
  admission.release('a', 1);
  await turns();
  expect(admitted).toEqual(['a', 'a', 'b', 'a']);
});

it('An account is always admitted up to its own share, whatever the others hold', () => {
  const { admitted, acquire } = open({ ...LIMITS, ownShareBytes: 1 });
  for (const account of ['a', 'a', 'b', 'b', 'c', 'c']) acquire(account);
  expect(admitted).toEqual(['a', 'a', 'b', 'c']);
});

it('By default an account may hold 16 bodies of the largest size, all may hold 64, and each has its own share', () => {
  const { admitted, acquire } = open();
  for (let account = 0; account < 5; account++) {
    for (let body = 0; body < 20; body++) acquire(`${account}`, MIB);
  }
  const count = (account: string) => admitted.filter((one) => one === account).length;
  expect(['0', '1', '2', '3', '4'].map(count)).toEqual([16, 16, 16, 16, 1]);
});

it('A claim waits for an earlier one of its account, and accounts are admitted in rotation', async () => {
  const { admission, admitted, acquire } = open({
    accountMaxBytes: 3,
    totalMaxBytes: 3,
    ownShareBytes: 0,
  });
  acquire('full', 3);
  for (const account of ['a', 'a', 'b']) acquire(account);
  admission.release('full', 3);
  await turns();
  expect(admitted).toEqual(['full', 'a', 'b', 'a']);
  acquire('b', 2);
  acquire('b');
  admission.release('a', 1);
  await turns();
  expect(admitted).toHaveLength(4);
});

it('A release admits at most 16 claims, so that many small ones don’t start in one turn', async () => {
  const { admission, admitted, acquire } = open({
    accountMaxBytes: 100,
    totalMaxBytes: 100,
    ownShareBytes: 0,
  });
  acquire('full', 100);
  for (let i = 0; i < 40; i++) acquire('a');
  admission.release('full', 100);
  await turns();
  expect(admitted).toHaveLength(1 + 16);
  for (let i = 0; i < 3; i++) admission.release('a', 1);
  await turns();
  expect(admitted).toHaveLength(1 + 40);
});

it('A disconnected client stops waiting, and reserves nothing', async () => {
  const { admission, admitted, acquire } = open({ ...LIMITS, totalMaxBytes: 2 });
  acquire('a', 2);
  const gone = Array.from({ length: 40 }, async () => admission.acquire('b', 1, () => true));
  const settled = Promise.allSettled(gone);
  acquire('c');
  admission.release('a', 2);
  expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect([admitted, admission.heldBytes]).toEqual([['a', 'c'], 1]);
});
