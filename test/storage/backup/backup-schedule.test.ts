// When backups are taken while the service runs: a real journal and folder, but
// a clock of the test's own, since the shortest interval is an hour.

import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileJournal, openLibsqlJournal } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BackupSchedule } from '../../../src/storage/backup/backup-schedule.js';
import { type KeptLog, keptLog } from '../../support/kept-log.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let temporary: TemporaryFolder;
let folder: string;
let journal: FileJournal;
let schedule: BackupSchedule | undefined;
let log: KeptLog;

beforeEach(async () => {
  temporary = await openTemporaryFolder();
  folder = join(temporary.path, 'backups');
  await mkdir(folder);
  journal = await openLibsqlJournal({ path: join(temporary.path, 'service.db') });
  log = keptLog();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
});
afterEach(async () => {
  schedule?.stop();
  vi.useRealTimers();
  await journal.close();
  await temporary.remove();
});

function start(intervalHours: number): void {
  const settings = { folder, intervalHours, keep: 10 };
  schedule = new BackupSchedule({ journal, databasePath: 'data/service.db', settings, log });
}

/** Lets so many minutes pass, one by one, each with what it brings about. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    vi.advanceTimersByTime(MINUTE_MS);
    await schedule?.idle();
  }
}

/** What the log says once whatever is under way has ended. */
async function eventsSoFar(): Promise<string[]> {
  await schedule?.idle();
  return log.lines.map(({ event }) => event);
}

it('takes one at the start and another when the interval is over, not before', async () => {
  start(6);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  await pass(6 * 60 - 1);
  expect(await eventsSoFar()).toHaveLength(1);
  await pass(2);
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
  expect(await readdir(folder)).toHaveLength(2);
});

it('takes none of its own accord where the interval is 0', async () => {
  start(0);
  await pass(120);
  expect(await eventsSoFar()).toEqual([]);
  schedule?.takeNow();
  expect(await eventsSoFar()).toEqual(['backup_taken']);
});

it('tries again ten minutes after a failure, not at every look', async () => {
  await rename(folder, `${folder}-away`);
  start(1);
  expect(await eventsSoFar()).toEqual(['backup_failed']);
  await pass(9);
  expect(await eventsSoFar()).toHaveLength(1);
  await pass(2);
  expect(await eventsSoFar()).toEqual(['backup_failed', 'backup_failed']);
  await rename(`${folder}-away`, folder);
  await pass(11);
  expect((await eventsSoFar()).slice(2)).toEqual(['backup_taken']);
});

it('says once that the disk hangs, goes on when it answers, and says so when it hangs again', async () => {
  let answer = () => {};
  let hanging = Promise.resolve();
  // No disk hangs at a test's word: what the journal waits for is held up here.
  const hang = () => {
    hanging = new Promise((resolve) => {
      answer = resolve;
    });
  };
  const backup = async (path: string) => hanging.then(() => journal.backup(path));
  const settings = { folder, intervalHours: 0, keep: 10 };
  const held: FileJournal = Object.assign(Object.create(journal), { backup });
  schedule = new BackupSchedule({ journal: held, databasePath: 'service.db', settings, log });
  await schedule.idle();
  hang();
  schedule.takeNow();
  vi.advanceTimersByTime(39 * MINUTE_MS);
  expect(log.lines).toEqual([]);
  vi.advanceTimersByTime(60 * MINUTE_MS);
  expect(log.lines.map(({ event }) => event)).toEqual(['backup_failed']);
  answer();
  expect(await eventsSoFar()).toEqual(['backup_failed', 'backup_taken']);
  hang();
  schedule.takeNow();
  vi.advanceTimersByTime(99 * MINUTE_MS);
  answer();
  expect((await eventsSoFar()).slice(2)).toEqual(['backup_failed', 'backup_taken']);
});

it('takes one when the clock has been put back behind the newest', async () => {
  start(24);
  await eventsSoFar();
  vi.setSystemTime(Date.now() - 48 * HOUR_MS);
  await pass(1);
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
  await pass(60);
  expect(await eventsSoFar()).toHaveLength(2);
});

it('begins none once it is stopped', async () => {
  start(0);
  schedule?.stop();
  schedule?.takeNow();
  await pass(60);
  expect(await eventsSoFar()).toEqual([]);
});
