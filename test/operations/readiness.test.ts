// When the service is ready, decided on a meter and storage of the test's own:
// the moments that a real disk does not give on demand.

import { describe, expect, it } from 'vitest';
import type { Figures } from '../../src/hosts/operations/figures.js';
import { Meter } from '../../src/hosts/operations/meter.js';
import { type AskedStorage, Readiness } from '../../src/hosts/operations/readiness.js';

const HOUR_MS = 3_600_000;
const PLENTY_BYTES = 1e9;

function open(storage: Partial<AskedStorage> = {}) {
  const clock = { now: 10 * 24 * HOUR_MS };
  const meter = new Meter({ now: () => clock.now, clock: () => clock.now });
  const readiness = new Readiness({
    meter,
    identityConfigured: true,
    now: () => clock.now,
    clock: () => clock.now,
    // Longer than a healthy answer, shorter than a hanging one.
    after: () => new Promise((resolve) => void setImmediate(resolve)),
  });
  let trials = 0;
  const asked: AskedStorage = {
    ping: async () => {},
    async touch() {
      trials++;
      await storage.touch?.();
    },
    ...(storage.ping && { ping: storage.ping }),
  };
  // As of a service with backups that are well.
  const backedUp: Figures['backups'] = {
    folder: 'b',
    intervalHours: 0,
    keep: 7,
    isUnderWay: false,
    kept: [],
  };
  const figures = (
    freeBytes = PLENTY_BYTES,
    backups: Figures['backups'] = backedUp,
    providerFinding?: Figures['providerFinding'],
  ): Figures => ({
    build: { version: '', runtime: '' },
    usage: {
      startedAtSeconds: 0,
      cpuSeconds: 0,
      residentBytes: 0,
      heapBytes: 0,
      openDescriptors: 0,
      maxDescriptors: 0,
    },
    eventLoop: { activeSeconds: 0, idleSeconds: 0 },
    service: undefined,
    disk: { databaseBytes: 0, logBytes: 0, freeBytes, totalBytes: freeBytes },
    providerFinding,
    backups,
    replication: undefined,
  });
  return { clock, meter, readiness, asked, figures, trials: () => trials };
}

function fail(meter: Meter, reason: string): void {
  meter.commitStarted(1);
  meter.commitFinished('notStored', new Error(reason));
}

describe('The service is not ready', () => {
  it('until it has started, and from the first moment of a stop', async () => {
    const { readiness, asked, figures } = open();
    expect(await readiness.answer(figures(), undefined)).toEqual({
      ready: false,
      reasons: ['starting'],
      warnings: [],
    });
    expect(await readiness.answer(figures(), asked)).toMatchObject({ ready: true, reasons: [] });
    readiness.stopping();
    expect(await readiness.answer(figures(), asked)).toMatchObject({
      ready: false,
      reasons: ['stopping'],
    });
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('no answer'))],
    ['hangs', () => new Promise<void>(() => {})],
  ])('while its database %s', async (_, ping) => {
    const { readiness, asked, figures } = open({ ping });
    expect((await readiness.answer(figures(), asked)).reasons).toEqual(['database_unavailable']);
  });

  it('while storage is lost', async () => {
    const { readiness, asked, meter, figures } = open();
    meter.storageLost();
    expect((await readiness.answer(figures(), asked)).reasons).toEqual(['storage_lost']);
  });

  it('while commits fail, and tries one at most once a second', async () => {
    const { readiness, asked, meter, clock, figures, trials } = open({
      touch: () => Promise.reject(new Error('SQLITE_IOERR')),
    });
    fail(meter, 'SQLITE_IOERR');
    for (let i = 0; i < 5; i++) {
      expect((await readiness.answer(figures(), asked)).reasons).toEqual(['writes_failing']);
    }
    expect(trials()).toBe(1);
    clock.now += 1_000;
    await readiness.answer(figures(), asked);
    expect(trials()).toBe(2);
  });

  it("until a trial commit succeeds, also without a client's write", async () => {
    const { readiness, asked, meter, figures } = open();
    fail(meter, 'SQLITE_IOERR');
    // The trial may end after this answer is given.
    await readiness.answer(figures(), asked);
    expect((await readiness.answer(figures(), asked)).reasons).toEqual([]);
    expect(meter.commits.of('committed')).toBe(0);
  });

  it('while the disk has no room for a group of writes, and then tries no commit', async () => {
    const { readiness, asked, meter, figures, trials } = open();
    fail(meter, 'SQLITE_FULL: database or disk is full');
    expect((await readiness.answer(figures(4_096), asked)).reasons).toEqual([
      'writes_failing',
      'disk_full',
    ]);
    expect(trials()).toBe(0);
  });
});

describe('A warning', () => {
  it('reports a provider that did not answer, and ends when it answers', async () => {
    const { readiness, asked, meter, figures } = open();
    meter.identityChecked('unavailable', 4_000);
    expect(await readiness.answer(figures(), asked)).toEqual({
      ready: true,
      reasons: [],
      warnings: ['identity_provider_unavailable'],
    });
    meter.identityChecked('invalid', 5);
    expect((await readiness.answer(figures(), asked)).warnings).toEqual([]);
  });

  it('reports a provider that was unfit at the start, until it has accepted one token and refused another', async () => {
    const { readiness, asked, meter, figures } = open();
    const finding = { ok: false, found: 'status 404', remedy: 'set another address' };
    const warnings = async (providerFinding?: typeof finding) =>
      (await readiness.answer(figures(PLENTY_BYTES, undefined, providerFinding), asked)).warnings;
    expect(await warnings()).toEqual([]);
    expect(await warnings({ ...finding, ok: true })).toEqual([]);
    expect(await warnings(finding)).toEqual(['identity_provider_unfit']);
    // A provider that takes every token for an account would come as far as here.
    meter.identityChecked('identified', 5);
    expect(await warnings(finding)).toEqual(['identity_provider_unfit']);
    meter.identityChecked('invalid', 5);
    expect(await warnings(finding)).toEqual([]);
  });

  it('reports a provider that was away at the start, until a check of a token knows more', async () => {
    const { readiness, asked, meter, figures } = open();
    const finding = { ok: false, found: 'no answer', remedy: 'see whether it is up', away: true };
    const warnings = async () =>
      (await readiness.answer(figures(PLENTY_BYTES, undefined, finding), asked)).warnings;
    expect(await warnings()).toEqual(['identity_provider_unavailable']);
    meter.identityChecked('identified', 5);
    expect(await warnings()).toEqual([]);
  });

  it('reports a backup from the future, which counts for nothing', async () => {
    const { readiness, asked, meter, clock, figures } = open();
    const backups = (...ages: readonly number[]) => ({
      folder: 'b',
      intervalHours: 24,
      keep: 7,
      isUnderWay: false,
      kept: ages.map((age) => ({ name: 'x', takenAt: clock.now - age, bytes: 1 })),
    });
    const warnings = async (...ages: readonly number[]) =>
      (await readiness.answer(figures(PLENTY_BYTES, backups(...ages)), asked)).warnings;
    const ahead = -400 * 24 * HOUR_MS;
    expect(await warnings(ahead, HOUR_MS)).toEqual(['backup_from_future']);
    expect(await warnings(ahead, 49 * HOUR_MS)).toEqual(['backup_overdue', 'backup_from_future']);
    // This process took one itself before its clock was mended.
    meter.backupTaken(clock.now - ahead, 10, 100);
    expect(await warnings(49 * HOUR_MS)).toEqual(['backup_overdue']);
  });

  it('reports that there is neither a backup nor a replica, once the service has started', async () => {
    const { readiness, asked, figures } = open();
    const without = { ...figures(), backups: undefined };
    expect((await readiness.answer(without, undefined)).warnings).toEqual([]);
    expect((await readiness.answer(without, asked)).warnings).toEqual(['backup_not_configured']);
    const reached = { isReached: true, reason: undefined, behindSeconds: 15 };
    const warningsWith = async (replication: typeof reached) =>
      (await readiness.answer({ ...without, replication }, asked)).warnings;
    expect(await warningsWith(reached)).toEqual([]);
    expect(await warningsWith({ ...reached, behindSeconds: 16 })).toEqual(['replica_unreachable']);
    expect(await warningsWith({ ...reached, isReached: false })).toEqual(['replica_unreachable']);
    expect((await readiness.answer(figures(), asked)).warnings).toEqual([]);
  });

  it('reports a failed backup and an overdue one', async () => {
    const { readiness, asked, meter, clock, figures } = open();
    const kept = (age: number) => ({
      folder: 'b',
      intervalHours: 24,
      keep: 7,
      isUnderWay: false,
      kept: [{ name: 'x', takenAt: clock.now - age, bytes: 1 }],
    });
    const warnings = async (age: number) =>
      (await readiness.answer(figures(PLENTY_BYTES, kept(age)), asked)).warnings;
    expect(await warnings(47 * HOUR_MS)).toEqual([]);
    expect(await warnings(49 * HOUR_MS)).toEqual(['backup_overdue']);
    meter.backupFailed('the disk is full');
    expect(await warnings(HOUR_MS)).toEqual(['backup_failed']);
    meter.backupTaken(clock.now, 10, 100);
    expect(await warnings(49 * HOUR_MS)).toEqual([]);
  });
});
