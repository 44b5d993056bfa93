// The JSON work of writes on Node: the same results in place and in the thread,
// and a thread that dies of memory refuses one request.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { workInPlace } from '../../src/core/records/record-work.js';
import { ThreadedWork } from '../../src/hosts/node/threaded-work.js';

/** Set where the system gives no thread. */
let refusal: Error | undefined;

// The thread's file is there only once it is built.
vi.mock('node:worker_threads', async (original) => {
  const threads = await original<typeof import('node:worker_threads')>();
  class BuiltWorker extends threads.Worker {
    constructor(_: URL, options: import('node:worker_threads').WorkerOptions) {
      if (refusal !== undefined) throw refusal;
      super(new URL('../../dist/record-thread.js', import.meta.url), options);
    }
  }
  return { ...threads, Worker: BuiltWorker };
});

const LARGE = 'x'.repeat(100_000);
let work: ThreadedWork | undefined;
afterEach(() => work?.close());

describe('Large records in the thread', () => {
  it('give the same results as in place', async () => {
    work = new ThreadedWork();
    const good = JSON.stringify({ name: 'Neema', phone: '1', note: LARGE, id: 'x' });
    const bodies = [good, `[${JSON.stringify(LARGE)}]`, `{"note":"${LARGE}"}`, `{"a":"${LARGE}"`];
    for (const body of bodies) {
      const made = work.newRecord('customers', body, 'neema');
      expect(made).toBeInstanceOf(Promise);
      expect(await made).toEqual(workInPlace.newRecord('customers', body, 'neema'));
      const patched = await work.patchedRecord('customers', good, body, 'neema');
      expect(patched).toEqual(workInPlace.patchedRecord('customers', good, body, 'neema'));
    }
    const order = JSON.stringify({ id: 'ORD-0001', customer: LARGE, amount: 5, method: null });
    expect(await work.paymentRow(order, 'neema')).toEqual(workInPlace.paymentRow(order, 'neema'));
  });

  it('are handled in place when they are small', () => {
    work = new ThreadedWork();
    expect(work.newRecord('team', '{"name":"Asha","phone":"1"}', 'neema')).toMatchObject({
      ok: true,
    });
  });

  it('are counted while they run or wait for the thread', async () => {
    const counted = new ThreadedWork();
    work = counted;
    expect(counted.jobs).toBe(0);
    const body = JSON.stringify({ note: LARGE });
    const made = [1, 2, 3].map(() => counted.newRecord('businesses', body, 'neema'));
    expect(counted.jobs).toBe(3);
    await Promise.all(made);
    expect(counted.jobs).toBe(0);
  });

  it('of one account do not hold up those of another: the accounts take turns', async () => {
    work = new ThreadedWork();
    const body = JSON.stringify({ note: LARGE });
    const done: string[] = [];
    const ask = async (account: string) => {
      await work?.newRecord('businesses', body, account);
      done.push(account);
    };
    await Promise.all(['busy', 'busy', 'busy', 'busy', 'quiet'].map(ask));
    expect(done.slice(0, 3)).toContain('quiet');
  });

  it('are refused one by one when the work takes too much memory', async () => {
    // Less than the work below takes, and more than a thread takes to start.
    work = new ThreadedWork(16);
    const expensive = `{"a":[${'{},'.repeat(330_000)}{}]}`;
    const outcomes = await Promise.all([
      work.newRecord('businesses', expensive, 'neema'),
      work.newRecord('businesses', JSON.stringify({ note: LARGE }), 'neema'),
    ]);
    expect(outcomes[0]).toMatchObject({ ok: false, failure: { code: 'VALIDATION_FAILED' } });
    expect(outcomes[1]).toMatchObject({ ok: true });
    expect(
      await work.newRecord('businesses', JSON.stringify({ note: LARGE }), 'neema'),
    ).toMatchObject({
      ok: true,
    });
  });

  it('fail one by one while the system gives no thread, and succeed when it gives one', async () => {
    work = new ThreadedWork();
    const body = JSON.stringify({ note: LARGE });
    refusal = new Error('no thread to be had');
    const failed = [1, 2].map(() => work?.newRecord('businesses', body, 'neema'));
    for (const outcome of failed) await expect(outcome).rejects.toBe(refusal);
    refusal = undefined;
    expect(await work.newRecord('businesses', body, 'neema')).toMatchObject({ ok: true });
  });

  it('are refused after the work is closed, and start no further thread', async () => {
    work = new ThreadedWork();
    const body = JSON.stringify({ note: LARGE });
    const underWay = [1, 2, 3].map(() => work?.newRecord('businesses', body, 'neema'));
    const settled = Promise.allSettled(underWay);
    await work.close();
    expect((await settled).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(work.jobs).toBe(0);
  });
});
