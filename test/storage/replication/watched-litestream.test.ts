// How Litestream is watched between two syncs, while one is under way, and while it is
// gone: its socket answers for real, by a clock of the test's own.

import { describe, expect, it } from 'vitest';
import { openLitestreamStub } from '../../support/litestream-stub.js';
import { DATABASE, watchedReplica } from './watched-replica.js';

const on = watchedReplica();

describe('Litestream', () => {
  it('that is idle is looked at every second', async () => {
    await on.reach('sync');
    const syncs = on.stub.syncs.length;
    on.stub.says.version = '0.5.16';
    await on.pass(750);
    expect(on.replica.refusal).toBeUndefined();
    await on.pass(250);
    expect(on.replica.refusal).toContain('has version 0.5.16');
    expect(on.stub.syncs).toHaveLength(syncs);
  });

  it('that syncs for long is asked after three seconds whether it still answers', async () => {
    await on.reach('sync');
    on.hold();
    on.replica.committed();
    void on.replica.confirmed();
    await on.until(() => on.stub.syncs.length === 3);
    on.stub.says.version = '0.5.16';
    await on.pass(2_750);
    expect(on.reports.at(-1)?.isReached).toBe(true);
    await on.pass(500);
    expect(on.reports.at(-1)).toMatchObject({
      isReached: false,
      reason: expect.stringContaining('has version 0.5.16'),
    });
  });

  it('that syncs for long and answers stays reached', async () => {
    await on.reach('sync');
    on.hold();
    on.replica.committed();
    const confirming = on.replica.confirmed();
    await on.pass(5_750);
    expect(on.stub.syncs).toHaveLength(3);
    expect(on.replica.refusal).toBeUndefined();
    on.letGo();
    expect(await on.settled(confirming)).toBeUndefined();
  });

  it('async: that hangs in a sync is told: since when the replica is behind, and that it is not reached', async () => {
    await on.reach('async');
    on.hold();
    const at = Date.now();
    on.replica.committed();
    await on.pass(2_250);
    expect(on.stub.syncs).toHaveLength(3);
    expect(on.reports.at(-1)).toMatchObject({ isReached: true, behindSince: at });
    on.stub.says.version = '0.5.16';
    await on.pass(3_000);
    expect(on.reports.at(-1)).toMatchObject({
      isReached: false,
      reason: expect.stringContaining('has version 0.5.16'),
      behindSince: at,
    });
    on.stub.says.version = '0.5.17';
    on.letGo();
    await on.pass(2_000);
    expect(on.reports.at(-1)).toMatchObject({ isReached: true, behindSince: undefined });
  });

  it('that has been gone for a minute is told, and again after each minute', async () => {
    await on.reach('async');
    await on.stub.close();
    await on.pass(60_000);
    expect(on.absences).toEqual([]);
    await on.pass(2_000);
    expect(on.absences).toEqual([process.pid]);
    await on.pass(57_000);
    expect(on.absences).toHaveLength(1);
    await on.pass(5_000);
    expect(on.absences).toEqual([process.pid, process.pid]);
    on.stub = await openLitestreamStub(on.socketPath, DATABASE);
  });

  it('that comes back in between has not been gone', async () => {
    await on.reach('async');
    for (let times = 0; times < 2; times++) {
      await on.stub.close();
      await on.pass(40_000);
      on.stub = await openLitestreamStub(on.socketPath, DATABASE);
      await on.pass(3_000);
      expect(on.reports.at(-1)?.isReached).toBe(true);
    }
    expect(on.absences).toEqual([]);
  });
});
