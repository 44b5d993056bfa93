// The JSON work of writes on Node: the same results in place and in the thread,
// and a thread that dies of memory refuses one request.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { workInPlace } from '../../src/core/records/record-work.js';
import { ThreadedWork } from '../../src/hosts/node/threaded-work.js';

/** Set if the system gives no thread. */
let refusal: Error | undefined;
let heap = {};

// The thread's file is there only once it is built.
vi.mock('node:worker_threads', async (original) => {
  const threads = await original<typeof import('node:worker_threads')>();
  class BuiltWorker extends threads.Worker {
    constructor(_: URL, options: import('node:worker_threads').WorkerOptions) {
      if (refusal !== undefined) throw refusal;
      const built = new URL('../../dist/record-thread.js', import.meta.url);
      super(built, { ...options, ...heap });
    }
  }
  return { ...threads, Worker: BuiltWorker };
});

const TEXT = 'x'.repeat(100_000);
const LARGE = JSON.stringify({ note: TEXT });
let work: ThreadedWork;
beforeEach(() => {
  work = new ThreadedWork();
});
afterEach(() => work.close());

const create = (body = LARGE, account = 'neema') => work.newRecord('businesses', body, account);

describe('Large records in the thread', () => {
  it('give the same results as in place', async () => {
    const good = JSON.stringify({ name: 'Neema', phone: '1', note: TEXT, id: 'x' });
    for (const body of [good, `[${JSON.stringify(TEXT)}]`, LARGE, `{"a":"${TEXT}"`]) {
      const made = work.newRecord('customers', body, 'neema');
      expect(made).toBeInstanceOf(Promise);
      expect(await made).toEqual(workInPlace.newRecord('customers', body, 'neema'));
      const patched = await work.patchedRecord('customers', good, body, 'neema');
      expect(patched).toEqual(workInPlace.patchedRecord('customers', good, body, 'neema'));
    }
    const order = JSON.stringify({ id: 'ORD-0001', customer: TEXT, amount: 5, method: null });
    expect(await work.paymentRow(order, 'neema')).toEqual(workInPlace.paymentRow(order, 'neema'));
    // Small ones are handled in place.
    expect(create('{"note":"a"}')).toMatchObject({ ok: true });
  });

  it('are counted, and the accounts take turns', async () => {
    const done: string[] = [];
    const ask = (account: string) =>
      Promise.resolve(create(LARGE, account)).then(() => done.push(account));
    const all = Promise.all(['busy', 'busy', 'busy', 'busy', 'quiet'].map(ask));
    expect(work.jobs).toBe(5);
    await all;
    expect(work.jobs).toBe(0);
    expect(done.slice(0, 3)).toContain('quiet');
  });

  it('are refused one by one when the work takes too much memory', async () => {
    // Less than the work below takes, and more than a thread takes to start.
    heap = { resourceLimits: { maxOldGenerationSizeMb: 16 } };
    const expensive = `{"a":[${'{},'.repeat(330_000)}{}]}`;
    const outcomes = await Promise.all([create(expensive), create()]);
    expect(outcomes[0]).toMatchObject({ ok: false, failure: { code: 'VALIDATION_FAILED' } });
    expect(outcomes[1]).toMatchObject({ ok: true });
    heap = {};
  });

  it('fail one by one while the system gives no thread, and succeed when it gives one', async () => {
    refusal = new Error('no thread to be had');
    const failed = [create(), create()];
    for (const outcome of failed) await expect(outcome).rejects.toBe(refusal);
    refusal = undefined;
    expect(await create()).toMatchObject({ ok: true });
  });

  it('are refused after the work is closed, and start no further thread', async () => {
    const settled = Promise.allSettled([create(), create(), create()]);
    await work.close();
    expect((await settled).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(work.jobs).toBe(0);
  });
});
