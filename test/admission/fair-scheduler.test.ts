// Long work in slices: one slice an event-loop turn in all, and accounts take
// turns at it.

import { describe, expect, it } from 'vitest';
import { FairScheduler, nextTask } from '../../src/core/admission/fair-scheduler.js';

const stays = () => false;
const always = () => true;

/** FairScheduler whose pauses end when the test says so, and whose clock is the test's. */
function controlled(givesWay?: () => boolean) {
  const gates: (() => void)[] = [];
  const clock = { now: 0 };
  const scheduler = new FairScheduler({
    pause: () => new Promise((resolve) => gates.push(resolve)),
    stopwatch: () => clock.now,
    ...(givesWay && { givesWay }),
  });
  /** Ends every pause so far: the next event-loop turn. */
  async function nextTurn(): Promise<void> {
    for (const open of gates.splice(0)) open();
    await nextTask();
  }
  return { scheduler, clock, nextTurn };
}

describe('FairScheduler', () => {
  it('gives one account after the other a slice, one an event-loop turn', async () => {
    const { scheduler, nextTurn } = controlled();
    const served: string[] = [];
    for (const account of ['a', 'a', 'a', 'b', 'c', 'b']) {
      void scheduler.yield(account).then(() => served.push(account));
    }
    for (let turn = 1; turn <= 6; turn++) {
      await nextTurn();
      expect(served).toHaveLength(turn);
      expect(scheduler.waiting).toBe(6 - turn);
    }
    expect(served.join('')).toBe('abcaba');
  });

  it('begins as many requests in a turn as fit into a slice, accounts in rotation', async () => {
    const { scheduler, clock, nextTurn } = controlled();
    const begun: string[] = [];
    function request(account: string): void {
      const begin = () => {
        begun.push(account);
        clock.now += 0.5;
      };
      const turn = scheduler.admit(account, stays, always);
      if (turn === undefined) begin();
      else void turn.then(begin);
    }
    for (let i = 0; i < 300; i++) request('flood');
    request('shop');
    // The rest waits, and the shop is served second.
    expect(begun).toHaveLength(4);
    let isPieceServed = false;
    void scheduler.yield('reader').then(() => {
      isPieceServed = true;
    });
    expect(scheduler.waiting).toBe(1);
    await nextTurn();
    expect(begun.slice(4)).toEqual(['flood', 'shop', 'flood', 'flood']);
    expect(isPieceServed).toBe(true);
    await nextTurn();
    expect(begun).toHaveLength(12);
  });

  it('lets a request that takes long give way to those that wait to begin, not to itself', async () => {
    const { scheduler, clock, nextTurn } = controlled();
    const done: string[] = [];
    async function request(account: string, steps: number): Promise<void> {
      await scheduler.admit(account, stays, always);
      for (let step = 0; step < steps; step++) {
        if (scheduler.sliceUsed()) await scheduler.yield(account);
        clock.now += 0.2;
      }
      done.push(account);
    }
    scheduler.sliceUsed();
    clock.now += 2;
    for (const account of ['reader', 'shop', 'shop', 'shop', 'last']) {
      void request(account, account === 'reader' ? 9 : 1);
    }
    await nextTurn();
    // All began in one slice. The reader had two steps of it, and goes on in the slice for long work.
    expect(done).toEqual(['shop', 'last', 'shop', 'shop', 'reader']);
  });

  it('begins no request before those that wait already', async () => {
    let comes = true;
    const { scheduler, clock, nextTurn } = controlled(() => comes);
    expect(scheduler.sliceUsed()).toBe(false);
    clock.now += 2;
    const begun: string[] = [];
    const begin = (account: string) =>
      scheduler.admit(account, stays, always)?.then(() => begun.push(account));
    for (const account of ['a', 'b']) void begin(account);
    // The next event-loop turn has a slice of its own, but new connections come first.
    await nextTurn();
    expect(scheduler.sliceUsed()).toBe(false);
    expect(begin('c')).toBeDefined();
    comes = false;
    await nextTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(begin('d')).toBeUndefined();
  });

  it('leaves the event-loop turns to new connections as long as they come, for ten milliseconds at most', async () => {
    let comes = true;
    const { scheduler, clock, nextTurn } = controlled(() => comes);
    const served: string[] = [];
    const wait = (account: string) =>
      void scheduler.yield(account).then(() => served.push(account));
    wait('a');
    wait('b');
    wait('c');
    for (let milliseconds = 1; milliseconds <= 10; milliseconds++) {
      await nextTurn();
      clock.now += 1;
    }
    expect(served).toEqual([]);
    await nextTurn();
    expect(served).toEqual(['a']);
    await nextTurn();
    expect(served).toEqual(['a']);
    comes = false;
    await nextTurn();
    expect(served).toEqual(['a', 'b']);
    await nextTurn();
    expect(served).toEqual(['a', 'b', 'c']);
  });

  it('never ends a slice where requests must not wait for each other', () => {
    const scheduler = new FairScheduler({ sliceMs: Infinity });
    const started = performance.now();
    while (performance.now() - started < 5) expect(scheduler.sliceUsed()).toBe(false);
    expect(scheduler.ownSlice()()).toBe(false);
  });
});
