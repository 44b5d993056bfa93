// When the service is ready, with the test's own figures and storage, for states that a real disk
// does not produce on demand.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Meter } from '../../src/hosts/operations/meter.js';
import { probeStorage, readinessOf, withTimeout } from '../../src/hosts/operations/readiness.js';
import type { Figures } from '../../src/hosts/operations/status.js';

const HOUR_MS = 3_600_000;
const NOW = 240 * HOUR_MS;
const ago = (hours: number) => new Date(NOW - hours * HOUR_MS).toISOString();

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Figures of a healthy service that takes backups on request and started ten days ago. */
const WELL = {
  started_at: ago(240),
  database: { disk_free_bytes: 1e9 },
  writes: { failing_since: null, failing_reason: null },
  identity: { unavailable_since: null },
  backups: { interval_hours: 0, last_success_at: ago(1), last_failure: null },
  replication: null,
  postgres: null,
};
const STATE = {
  isStarted: true,
  isStopping: false,
  isStorageLost: false,
  isStorageReachable: true,
  hasProvider: true,
};
const failing = (failing_reason: string) => ({ writes: { failing_since: ago(1), failing_reason } });
const daily = (hours: number | null, more = {}) => ({
  backups: { interval_hours: 24, last_success_at: hours && ago(hours), last_failure: null },
  ...more,
});
const replica = (reached: boolean, behind_seconds: number) => ({
  backups: null,
  replication: { reached, behind_seconds },
});

it.each<[reasons: string, warnings: string, figures?: object, state?: Partial<typeof STATE>]>([
  ['', ''],
  ['starting', '', { backups: null }, { isStarted: false }],
  ['stopping', '', {}, { isStopping: true, isStorageReachable: false }],
  ['storage_lost', '', {}, { isStorageLost: true }],
  ['database_unavailable', '', {}, { isStorageReachable: false }],
  ['writes_failing', '', failing('SQLITE_IOERR')],
  ['writes_failing disk_full', '', failing('SQLITE_FULL: database or disk is full')],
  ['disk_full', '', { database: { disk_free_bytes: 4_096 } }],
  ['', 'identity_provider_not_configured', {}, { hasProvider: false }],
  ['', 'identity_provider_unavailable', { identity: { unavailable_since: ago(1) } }],
  ['', '', daily(47)],
  ['', 'backup_overdue', daily(49)],
  ['', '', daily(null, { started_at: ago(47) })],
  ['', 'backup_overdue', daily(null, { started_at: ago(49) })],
  ['', 'backup_failed', { backups: { ...WELL.backups, last_failure: {} } }],
  ['', 'backup_not_configured', { backups: null }],
  ['', '', { backups: null, postgres: {} }],
  ['', '', replica(true, 15)],
  ['', 'replica_unreachable', replica(true, 16)],
  ['', 'replica_unreachable', replica(false, 0)],
])('The reasons are "%s" and the warnings "%s" with %j and %j', (...of) => {
  const [reasons, warnings, figures = {}, state = {}] = of;
  const found = readinessOf({ ...WELL, ...figures } as Figures, { ...STATE, ...state });
  expect([found.reasons.join(' '), found.warnings.join(' ')]).toEqual([reasons, warnings]);
  expect(found.ready).toBe(reasons === '');
});

it.each([
  ['refuses', () => Promise.reject(new Error('no answer'))],
  ['hangs', () => new Promise<void>(() => {})],
])('Storage that %s is unavailable, and is probed once at a time', async (_, ping) => {
  const asked = vi.fn(() => probeStorage({ ping, touch: ping }, new Meter()));
  const ask = withTimeout(asked, false);
  const both = Promise.all([ask(), ask()]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await both).toEqual([false, false]);
  expect(asked).toHaveBeenCalledOnce();
});

it('While commits fail, one is tried, and its success ends the failure; after the file is lost, none is tried', async () => {
  const meter = new Meter();
  const touch = vi.fn(() => Promise.reject<void>(new Error('SQLITE_IOERR')));
  const storage = { ping: async () => {}, touch };
  expect(await probeStorage(storage, meter)).toBe(true);
  expect(touch).not.toHaveBeenCalled();
  meter.setWritesFailing('SQLITE_IOERR');
  expect(await probeStorage(storage, meter)).toBe(true);
  expect(meter.writes.failing_reason).toBe('SQLITE_IOERR');
  touch.mockImplementation(async () => {});
  await probeStorage(storage, meter);
  expect(meter.writes).toMatchObject({ failing_since: null, commits: { committed: 0 } });
  meter.setWritesFailing('SQLITE_IOERR');
  meter.storageLost();
  await probeStorage(storage, meter);
  expect(touch).toHaveBeenCalledTimes(2);
});
