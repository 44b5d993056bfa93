// How a replica is reached, and what a commit and a stop wait for: Litestream's socket
// answers for real, by a clock of the test's own.

import { describe, expect, it, vi } from 'vitest';
import { DATABASE, waiting, watchedReplica } from './watched-replica.js';

const on = watchedReplica();

describe('A replica', () => {
  it('sync: is reached when Litestream has taken a commit of the file', async () => {
    on.make('sync');
    expect(on.replica.refusal).toBe('the replica has not been reached yet');
    const reached = waiting(on.replica.reached(60_000));
    expect(reached()).toBe(true);
    on.replica.start();
    await on.until(() => !reached());
    expect(on.stub.syncs.map(({ wait }) => wait)).toEqual([true, true]);
    expect(on.touches).toBe(1);
    expect(on.replica.refusal).toBeUndefined();
    expect(on.reports).toEqual([
      { isReached: false, reason: undefined, behindSince: undefined, syncMilliseconds: 0 },
      { isReached: false, reason: undefined, behindSince: undefined, syncMilliseconds: 0 },
      { isReached: true, reason: undefined, behindSince: undefined },
    ]);
    await on.settled(on.replica.reached(60_000));
  });

  it('async: refuses nothing, and does not wait for the replica', async () => {
    on.make('async');
    expect(on.replica.refusal).toBeUndefined();
    on.replica.start();
    await on.until(() => on.reports.at(-1)?.isReached === true);
    expect(on.stub.syncs.map(({ wait }) => wait)).toEqual([false, false]);
  });

  it('is not waited for longer than was said', async () => {
    on.make('sync');
    const isWaiting = waiting(on.replica.reached(5_000));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(isWaiting()).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(isWaiting()).toBe(false);
  });

  it('is not reached while Litestream does not take the commit, and is tried four times a second', async () => {
    on.stub.says.advances = false;
    on.make('sync');
    on.replica.start();
    const reason =
      "Litestream's number of changes stays at 1 after a commit: it follows another file";
    await on.until(() => on.replica.refusal === reason);
    await vi.advanceTimersByTimeAsync(249);
    await on.turns();
    expect(on.touches).toBe(1);
    const told = on.reports.filter(({ hasFailed }) => !hasFailed).length;
    await vi.advanceTimersByTimeAsync(1);
    await on.until(() => on.touches === 2 && on.stub.syncs.length === 4);
    await on.turns();
    // The first of the two syncs succeeds; the same failure is told once.
    expect(on.reports.filter(({ hasFailed }) => !hasFailed).length).toBe(told + 1);
    on.stub.says.advances = true;
    await on.pass(250);
    expect(on.replica.refusal).toBeUndefined();
  });

  it('of another Litestream is proven again', async () => {
    await on.reach('sync');
    expect(on.touches).toBe(1);
    on.stub.says.databases = [];
    await on.pass(1_000);
    expect(on.replica.refusal).toContain('does not list the database');
    on.stub.says.databases = [DATABASE];
    await on.pass(250);
    expect([on.replica.refusal, on.touches]).toEqual([undefined, 1]);
    on.stub.says.databases = [];
    await on.pass(1_000);
    on.stub.says.databases = [DATABASE];
    on.stub.says.startedAt = '2026-11-22T05:00:00Z';
    await on.pass(250);
    expect([on.replica.refusal, on.touches]).toEqual([undefined, 2]);
  });
});

describe('A commit', () => {
  it('waits for a sync under way, but for no more than a second of it', async () => {
    await on.reach('async');
    await on.settled(on.replica.turn());
    on.hold();
    on.replica.committed();
    await on.pass(1_000);
    await on.until(() => on.stub.syncs.length === 3);
    const first = waiting(on.replica.turn());
    await vi.advanceTimersByTimeAsync(999);
    expect(first()).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(first()).toBe(false);
    await on.settled(on.replica.turn());
  });

  it('goes on as soon as the sync under way has ended', async () => {
    await on.reach('async');
    on.hold();
    on.replica.committed();
    await on.pass(1_000);
    await on.until(() => on.stub.syncs.length === 3);
    const isWaiting = waiting(on.replica.turn());
    on.letGo();
    await on.until(() => !isWaiting());
  });

  it('sync: is not confirmed when Litestream says nothing for six seconds', async () => {
    await on.reach('sync');
    on.hold();
    on.replica.committed();
    const confirming = on.replica.confirmed();
    const isWaiting = waiting(confirming);
    await vi.advanceTimersByTimeAsync(5_999);
    expect([isWaiting(), on.replica.refusal]).toEqual([true, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await on.settled(confirming)).toBe('the replica does not answer in time');
    expect(on.replica.refusal).toBe('the replica does not answer in time');
    expect(on.reports.at(-1)).toEqual({
      isReached: false,
      reason: 'the replica does not answer in time',
      behindSince: expect.any(Number),
    });
  });

  it('sync: is tried four times a second, for six seconds, where Litestream refuses', async () => {
    await on.reach('sync');
    on.stub.says.refusal = 'first words';
    const before = on.stub.syncs.length;
    const confirming = on.replica.confirmed();
    for (let tried = 1; tried <= 24; tried++) {
      await on.until(() => on.stub.syncs.length === before + tried);
      on.stub.says.refusal = `words ${tried + 1}`;
      await on.pass(250);
    }
    expect(await on.settled(confirming)).toBe('Litestream says: words 25');
    expect(on.replica.refusal).toBe('Litestream says: words 25');
    expect(on.reports.some(({ hasFailed }) => hasFailed)).toBe(true);
  });

  it('sync: is not confirmed by a Litestream that follows another file, however often it is asked', async () => {
    await on.reach('sync');
    on.stub.says.advances = false;
    const confirming = on.replica.confirmed();
    await on.pass(6_000);
    expect(await on.settled(confirming)).toContain('stays at 3 after a commit');
  });

  it('says how long its sync took', async () => {
    await on.reach('sync');
    on.hold();
    on.replica.committed();
    const confirming = on.replica.confirmed();
    await on.until(() => on.stub.syncs.length === 3);
    await vi.advanceTimersByTimeAsync(70);
    on.letGo();
    expect(await on.settled(confirming)).toBeUndefined();
    expect(on.reports.at(-1)).toMatchObject({ isReached: true, syncMilliseconds: 70 });
  });
});

describe('A stop', () => {
  it('sends what the replica lacks, and gives that three seconds', async () => {
    await on.reach('async');
    on.replica.committed();
    on.hold();
    const isClosing = waiting(on.replica.close());
    await on.until(() => on.stub.syncs.length === 3);
    expect(on.stub.syncs.at(-1)).toEqual({ path: DATABASE, wait: true, timeout: 3 });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isClosing()).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    await on.until(() => !isClosing());
  });

  it('sends nothing where the replica has everything, or is not reached', async () => {
    await on.reach('sync');
    await on.settled(on.replica.close());
    expect(on.stub.syncs).toHaveLength(2);
    on.stub.says.refusal = 'no';
    on.make('sync');
    on.replica.start();
    on.replica.committed();
    await on.until(() => on.replica.refusal === 'Litestream says: no');
    await on.settled(on.replica.close());
    expect(on.stub.syncs).toHaveLength(3);
  });
});
