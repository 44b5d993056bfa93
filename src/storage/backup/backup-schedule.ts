// When backups are taken, and how many are kept. The files in the folder are the schedule's only
// memory, so a restart changes nothing.

import { rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { backupName, backupsIn } from '../file/backup-names.js';
import { messageOf } from '../file/connection-errors.js';
import type { FileStorage } from '../file/file-storage.js';
import { namesIn, rotationOf, type SizedBackup } from './backup-files.js';

/** How often the schedule reads the folder. */
const CHECK_MS = 60_000;
/** Wait after a failure: long enough for a disk or an operator to recover. */
const RETRY_MS = 600_000;
const LARGER =
  'every newer backup has less than two thirds of their size, so they are not removed: check whether records were lost, restore one, or remove them by hand';

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
  #working: Promise<void> | undefined;
  #isAsked = false;
  #isStopping = false;
  #retryAt = 0;
  isUnderWay = false;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
  }

  /** To be called once the service listens: a start that fails takes no backup. */
  begin(): void {
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

  /** Takes what is due or was asked for. Resolves when no backup is in progress; never rejects. */
  async check(): Promise<void> {
    if (!this.#isStopping) this.#working ??= this.#work();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { log, events } = this.#options;
    do {
      const isAsked = this.#isAsked;
      this.#isAsked = false;
      await this.#takeIfDue(isAsked).catch((error: unknown) => {
        this.#retryAt = performance.now() + RETRY_MS;
        if (this.#isStopping) return log.info('backup_broken_off');
        events?.backupFailed(messageOf(error));
        log.error('backup_failed', messageOf(error));
      });
      this.isUnderWay = false;
    } while (this.#isAsked && !this.#isStopping);
    this.#working = undefined;
  }

  async #takeIfDue(isAsked: boolean): Promise<void> {
    const { intervalHours } = this.#options.settings;
    if (!isAsked && performance.now() < this.#retryAt) return;
    // Even if none is due, so that an operator learns at once that none can be taken.
    const { finished, unfinished } = await this.files();
    const now = Date.now();
    // A wrong clock may have made one of the future.
    const newest = finished.find(({ takenAt }) => takenAt <= now);
    const dueAt = (newest?.takenAt ?? 0) + intervalHours * HOUR_MS;
    const isDue = intervalHours > 0 && now >= dueAt;
    if (!isAsked && !isDue) return;
    this.isUnderWay = true;
    // What a killed process left.
    await this.#remove(unfinished);
    await this.#take(now);
  }

  async #take(now: number): Promise<void> {
    const { storage, databasePath, log, events } = this.#options;
    const file = this.#pathOf(backupName(parse(databasePath).name, now));
    const startedAt = performance.now();
    const { bytes, recordCount: records, auditEventCount } = await storage.backup(file);
    const milliseconds = Math.round(performance.now() - startedAt);
    events?.backupTaken();
    await this.#rotate(now).catch((error: unknown) => {
      log.error('backup_not_removed', messageOf(error));
    });
    log.info('backup_taken', { file, bytes, records, audit_events: auditEventCount, milliseconds });
  }

  async #rotate(now: number): Promise<void> {
    const { settings, log } = this.#options;
    const { finished } = await this.files();
    // Those of a wrong clock would push out every new one.
    const upToNow = finished.filter(({ takenAt }) => takenAt <= now);
    const { removable, irreplaceable } = rotationOf(upToNow, settings.keep);
    await this.#remove(removable);
    const files = irreplaceable.map((name) => this.#pathOf(name)).join(', ');
    if (files !== '') log.warn('backup_held_back', { files, hint: LARGER });
  }

  /** The backups in the folder, newest first, and the names of unfinished ones. Rejects if it can't be used. */
  async files() {
    const names = await namesIn(this.#options.settings.folder);
    const { finished, unfinished } = backupsIn(names, parse(this.#options.databasePath).name);
    const sized = finished.map(async (file): Promise<SizedBackup> => {
      // It may be removed in the meantime.
      const found = await stat(this.#pathOf(file.name)).catch(() => undefined);
      return { ...file, bytes: found?.size ?? 0 };
    });
    return { finished: await Promise.all(sized), unfinished };
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#pathOf(name), { force: true });
  }

  #pathOf(name: string): string {
    return join(this.#options.settings.folder, name);
  }
}
