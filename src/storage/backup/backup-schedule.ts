// When backups are taken, and how many are kept. The files in the folder are the schedule's only
// memory, so a restart changes nothing.

import { access, constants, readdir, rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { explained, messageOf } from '../file/connection-errors.js';
import type { FileStorage } from '../file/file-storage.js';

/** How often the schedule reads the folder, also after a failure. */
const CHECK_MS = 10 * 60_000;
/** How a backup's file name ends: the time in UTC, after the database's name. */
const NAME_END = /^-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db$/;
/**
 * A backup that is smaller than the older one by more than this doesn't replace it: a service that lost
 * its records keeps taking backups of almost nothing, which would push out the good ones.
 */
const MUCH_LARGER = 1.5;
const HELD_BACK =
  'every newer backup has less than two thirds of its size, so it is not removed: check whether records were lost, restore it, or remove it by hand';

/** A finished backup. `takenAt`: the time in its name, milliseconds since 1970, UTC. */
export type SizedBackup = Readonly<{ name: string; takenAt: number; bytes: number }>;

export interface BackupScheduleOptions {
  readonly storage: Pick<FileStorage, 'backup'>;
  readonly databasePath: string;
  /** `intervalHours`: 0 for backups only on request. `keep`: how many stay. */
  readonly settings: { folder: string; intervalHours: number; keep: number };
  readonly log: Log;
  readonly events?: ServiceEvents | undefined;
}

/** Takes backups by the clock. A failure is logged and has no other effect. */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #isAsked = false;
  #isStopping = false;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
  }

  /** Call once the service listens, so that a failed start takes no backup. */
  start(): void {
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
    void this.check();
  }

  /** Takes a backup now. If one is in progress, another follows it, because it may lack the latest writes. */
  takeNow(): void {
    this.#isAsked = true;
    void this.check();
  }

  /** Begins no further backup. Closing the storage aborts the one in progress. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#timer);
  }

  /** The backups in the folder, newest first. Rejects if it can't be used. */
  files = () => backupsIn(this.#options.settings.folder, parse(this.#options.databasePath).name);

  /** Takes what is due or was asked for, after what is in progress; never rejects. */
  check(): Promise<void> {
    const { log, events } = this.#options;
    const failed = (error: unknown) => {
      if (this.#isStopping) return log.info('backup_broken_off');
      events?.backupFailed(messageOf(error));
      log.error('backup_failed', messageOf(error));
    };
    this.#last = this.#last.then(() => this.#takeIfDue()).catch(failed);
    return this.#last;
  }

  async #takeIfDue(): Promise<void> {
    const { storage, databasePath, settings, log, events } = this.#options;
    const { folder, intervalHours, keep } = settings;
    if (this.#isStopping) return;
    const isAsked = this.#isAsked;
    this.#isAsked = false;
    // Checked even if no backup is due, so that an operator learns at once of a problem.
    const before = await this.files();
    const now = Date.now();
    // A wrong clock may have made one of the future.
    const newest = before.find(({ takenAt }) => takenAt <= now)?.takenAt ?? 0;
    const isDue = intervalHours > 0 && now >= newest + intervalHours * HOUR_MS;
    if (!isAsked && !isDue) return;
    const file = join(folder, backupName(parse(databasePath).name, now));
    const { bytes, recordCount: records, auditEventCount } = await storage.backup(file);
    const milliseconds = Date.now() - now;
    events?.backupTaken();
    log.info('backup_taken', { file, bytes, records, audit_events: auditEventCount, milliseconds });
    // Those of a wrong clock would push out every new one.
    const upToNow = (await this.files()).filter(({ takenAt }) => takenAt <= now);
    for (const { name, isReplaced } of excessOf(upToNow, keep)) {
      const old = join(folder, name);
      if (isReplaced) await rm(old, { force: true });
      else log.warn('backup_held_back', { file: old, hint: HELD_BACK });
    }
  }
}

/** `stem`: the database's name without its extension. */
export function backupName(stem: string, takenAt: number): string {
  return `${stem}-${new Date(takenAt).toISOString().replaceAll(':', '-')}.db`;
}

/** Rejects with one sentence if the folder can't be read, or no backup can be written to it. */
export async function backupsIn(folder: string, stem: string): Promise<SizedBackup[]> {
  const found: SizedBackup[] = [];
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    for (const name of await readdir(folder)) {
      const end = name.startsWith(stem) ? NAME_END.exec(name.slice(stem.length)) : null;
      const [, day, hour, minute, second] = end ?? [];
      const takenAt = Date.parse(`${day}T${hour}:${minute}:${second}`);
      if (Number.isNaN(takenAt)) continue;
      // It may be removed in the meantime.
      const file = await stat(join(folder, name)).catch(() => undefined);
      found.push({ name, takenAt, bytes: file?.size ?? 0 });
    }
  } catch (error) {
    throw new Error(`the folder of the backups ${folder} cannot be used: ${explained(error)}`);
  }
  return found.sort((a, b) => b.takenAt - a.takenAt);
}

/** All but the newest `keep` backups, and whether a newer one replaces each. */
export function excessOf(newestFirst: readonly SizedBackup[], keep: number) {
  return newestFirst.slice(keep).map((file, i) => {
    const newer = newestFirst.slice(0, keep + i);
    return { ...file, isReplaced: newer.some(({ bytes }) => file.bytes <= MUCH_LARGER * bytes) };
  });
}
