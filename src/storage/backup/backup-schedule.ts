// When backups are taken, and how many are kept. The files in the folder are the schedule's only
// memory, so a restart changes nothing.

import { rm } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { messageOf } from '../file/connection-errors.js';
import type { FileStorage } from '../file/file-storage.js';
import { backupName, backupsIn, rotationOf } from './backup-folder.js';

/** How often the schedule reads the folder, also after a failure. */
const CHECK_MS = 10 * 60_000;
const LARGER =
  'every newer backup has less than two thirds of its size, so it is not removed: check whether records were lost, restore it, or remove it by hand';

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
        if (this.#isStopping) return log.info('backup_broken_off');
        events?.backupFailed(messageOf(error));
        log.error('backup_failed', messageOf(error));
      });
      this.isUnderWay = false;
    } while (this.#isAsked && !this.#isStopping);
    this.#working = undefined;
  }

  async #takeIfDue(isAsked: boolean): Promise<void> {
    const { storage, databasePath, settings, log, events } = this.#options;
    // Even if none is due, so that an operator learns at once that none can be taken.
    const { finished, unfinished } = await this.files();
    const now = Date.now();
    // A wrong clock may have made one of the future.
    const newest = finished.find(({ takenAt }) => takenAt <= now)?.takenAt ?? 0;
    const { folder, intervalHours, keep } = settings;
    const isDue = intervalHours > 0 && now >= newest + intervalHours * HOUR_MS;
    if (!isAsked && !isDue) return;
    this.isUnderWay = true;
    // What a killed process left.
    for (const name of unfinished) await rm(join(folder, name), { force: true });
    const file = join(folder, backupName(parse(databasePath).name, now));
    const { bytes, recordCount: records, auditEventCount } = await storage.backup(file);
    const milliseconds = Date.now() - now;
    events?.backupTaken();
    log.info('backup_taken', { file, bytes, records, audit_events: auditEventCount, milliseconds });
    const { removable, held } = rotationOf((await this.files()).finished, keep);
    for (const { name } of removable) await rm(join(folder, name), { force: true });
    for (const { name } of held) {
      log.warn('backup_held_back', { file: join(folder, name), hint: LARGER });
    }
  }

  /** The backups in the folder, newest first, and the names of unfinished ones. Rejects if it can't be used. */
  files() {
    const { settings, databasePath } = this.#options;
    return backupsIn(settings.folder, parse(databasePath).name);
  }
}
