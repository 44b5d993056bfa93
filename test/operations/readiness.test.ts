// When the service is ready, decided on a meter and storage of the test's own:
// the moments that a real disk does not give on demand.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Meter } from '../../src/hosts/operations/meter.js';
import { type AskedStorage, Readiness } from '../../src/hosts/operations/readiness.js';
import type { Figures } from '../../src/hosts/operations/status.js';

const HOUR_MS = 3_600_000;
const NOW = 240 * HOUR_MS;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const ago = (hours: number) => new Date(NOW - hours * HOUR_MS).toISOString();

/** Of a service that is well, takes backups on request and started at the epoch. */
const WELL = {
  started_at: ago(240),
  database: { disk_free_bytes: 1e9 },
  backups: { interval_hours: 0, last_success_at: ago(1), last_failed: false, list: [] },
  replication: null,
  postgres: null,
};

function open(storage: Partial<AskedStorage> = {}) {
  const meter = new Meter();
  const readiness = new Readiness(meter, true);
  const touch = vi.fn(storage.touch ?? (async () => {}));
  const answer = async (changes: Record<string, unknown> = {}, isStarted = true) => {
    const figures = { ...WELL, identity: meter.identity, ...changes } as unknown as Figures;
    const asked = isStarted ? { ping: async () => {}, ...storage, touch } : undefined;
    const answering = readiness.answer(figures, asked);
    // Longer than a database is given to answer.
    await vi.advanceTimersByTimeAsync(storage.ping ? 2_000 : 0);
    return answering;
  };
  return {
    ...{ meter, readiness, answer, touch },
    reasons: async (changes?: Record<string, unknown>) => (await answer(changes)).reasons,
    warnings: async (changes?: Record<string, unknown>) => (await answer(changes)).warnings,
  };
}

function failCommit(meter: Meter, reason: string): void {
  meter.commitStarted(1);
  meter.commitFinished('notStored', new Error(reason));
}

it('A service is ready from the end of its start until its storage is lost or it stops', async () => {
  const { meter, readiness, answer } = open();
  expect(await answer({}, false)).toEqual({ ready: false, reasons: ['starting'], warnings: [] });
  expect(await answer()).toEqual({ ready: true, reasons: [], warnings: [] });
  meter.storageLost();
  expect(await answer()).toMatchObject({ ready: false, reasons: ['storage_lost'] });
  readiness.stopping();
  expect(await answer()).toMatchObject({ ready: false, reasons: ['stopping', 'storage_lost'] });
});

it.each([
  ['refuses', () => Promise.reject(new Error('no answer'))],
  ['hangs', () => new Promise<void>(() => {})],
])('A database that %s is a reason', async (_, ping) => {
  expect(await open({ ping }).reasons()).toEqual(['database_unavailable']);
});

it('Failing commits are a reason, and one is tried once a second', async () => {
  let trial = () => Promise.reject<void>(new Error('SQLITE_IOERR'));
  const { meter, reasons, touch } = open({ touch: () => trial() });
  failCommit(meter, 'SQLITE_IOERR');
  for (let i = 0; i < 5; i++) expect(await reasons()).toEqual(['writes_failing']);
  expect(touch).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  // A commit that fails during the trial counts.
  trial = async () => failCommit(meter, 'SQLITE_IOERR');
  expect(await reasons()).toEqual(['writes_failing']);
  expect(touch).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1_000);
  trial = async () => {};
  expect(await reasons()).toEqual([]);
  expect(meter.writes.commits.committed).toBe(0);
});

it('A disk without room for a group of writes is a reason, and no commit is tried', async () => {
  const { meter, reasons, touch } = open();
  failCommit(meter, 'SQLITE_FULL: database or disk is full');
  const full = { database: { disk_free_bytes: 4_096 } };
  expect(await reasons(full)).toEqual(['writes_failing', 'disk_full']);
  expect(touch).not.toHaveBeenCalled();
});

it('A provider that did not answer is a warning until it answers', async () => {
  const { answer, meter, warnings } = open();
  meter.identityChecked('unavailable', 4_000);
  const warning = 'identity_provider_unavailable';
  expect(await answer()).toEqual({ ready: true, reasons: [], warnings: [warning] });
  meter.identityChecked('invalid', 5);
  expect(await warnings()).toEqual([]);
});

it('A failed backup and an overdue one are warnings', async () => {
  const { warnings } = open();
  const daily = { interval_hours: 24, last_success_at: ago(47), last_failed: false, list: [] };
  expect(await warnings({ backups: daily })).toEqual([]);
  expect(await warnings({ backups: { ...daily, last_failed: true } })).toEqual(['backup_failed']);
  const old = { ...daily, last_success_at: ago(49) };
  expect(await warnings({ backups: old })).toEqual(['backup_overdue']);
  expect(await warnings({ backups: { ...old, interval_hours: 0 } })).toEqual([]);
  const none = { ...daily, last_success_at: null };
  expect(await warnings({ backups: none, started_at: ago(47) })).toEqual([]);
  expect(await warnings({ backups: none, started_at: ago(49) })).toEqual(['backup_overdue']);
});

it('Neither backups nor a replica is a warning once the service has started, and so is a late replica', async () => {
  const { answer, warnings } = open();
  const without = { backups: null };
  expect((await answer(without, false)).warnings).toEqual([]);
  expect(await warnings(without)).toEqual(['backup_not_configured']);
  expect(await warnings({ ...without, postgres: {} })).toEqual([]);
  const replication = { reached: true, behind_seconds: 15 };
  expect(await warnings({ ...without, replication })).toEqual([]);
  for (const change of [{ behind_seconds: 16 }, { reached: false }]) {
    const late = { ...replication, ...change };
    expect(await warnings({ ...without, replication: late })).toEqual(['replica_unreachable']);
  }
});
