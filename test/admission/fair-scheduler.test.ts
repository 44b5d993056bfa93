// Long work in time slices: one slice per event-loop turn, for which accounts take turns.

import { describe, expect, it } from 'vitest';
import { FairScheduler, nextTask } from '../../src/core/admission/fair-scheduler.js';

/** A FairScheduler whose pauses and clock the test controls. */
function controlled() {
  const gates: (() => void)[] = [];
  const clock = { now: 0 };
  const scheduler = new FairScheduler({
    pause: () => new Promise((resolve) => gates.push(resolve)),
    stopwatch: () => clock.now,
  });
  /** Ends all current pauses, as the next event-loop turn does. */
  async function nextTurn(): Promise<void> {
    for (const open of gates.splice(0)) open();
    await nextTask();
  }
  return { scheduler, clock, nextTurn };
}

describe('FairScheduler', () => {
  it('gives the accounts slices in turn, one in each event-loop turn', async () => {
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

  it('continues work at once while its slice is not spent', async () => {
    const { scheduler, clock, nextTurn } = controlled();
    expect(scheduler.yieldIfNeeded('a')).toBeUndefined();
    clock.now += 2;
    const waiting = scheduler.yieldIfNeeded('a');
    expect(waiting).toBeDefined();
    // The next turn has its own slice.
    await nextTurn();
    await waiting;
    expect(scheduler.yieldIfNeeded('a')).toBeUndefined();
  });

  it('cancels the work of a disconnected client', async () => {
    const { scheduler, nextTurn } = controlled();
    const ended = expect(scheduler.yield('a', () => true)).rejects.toThrow('the connection closed');
    await nextTurn();
    await ended;
  });

  it('yields to new connections for at most ten milliseconds', async () => {
    const { scheduler, clock, nextTurn } = controlled();
    const served: string[] = [];
    const wait = (account: string) =>
      void scheduler.yield(account).then(() => served.push(account));
    wait('a');
    wait('b');
    wait('c');
    for (let milliseconds = 1; milliseconds <= 10; milliseconds++) {
      scheduler.hasNewConnections = true;
      await nextTurn();
      clock.now += 1;
    }
    expect(served).toEqual([]);
    scheduler.hasNewConnections = true;
    await nextTurn();
    expect(served).toEqual(['a']);
    await nextTurn();
    expect(served).toEqual(['a']);
    await nextTurn();
    expect(served).toEqual(['a', 'b']);
    await nextTurn();
    expect(served).toEqual(['a', 'b', 'c']);
  });
});
