// When backups are taken, and how many are kept. The files in the folder are the schedule's only
// memory, so a restart changes nothing.

import { rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { messageOf } from '../file/connection-errors.js';
import type { FileStorage } from '../file/file-storage.js';
import { backupName, backupsIn, namesIn, rotationOf, type SizedBackup } from './backup-files.js';

/** How often the schedule reads the folder. */
const CHECK_MS = 60_000;
/** Wait after a failure: long enough for a disk or an operator to recover. */
const RETRY_MS = 600_000;

/** The folder of the backups, how often one is taken and how many are kept. */
export interface BackupPlan {
  readonly folder: string;
  /** 0: only on request. */
  readonly intervalHours: number;
  readonly keep: number;
}

export interface BackupScheduleOptions {
  readonly storage: Pick<FileStorage, 'backup'>;
  readonly databasePath: string;
  readonly settings: BackupPlan;
  readonly log: Log;
  readonly events?: ServiceEvents | undefined;
}

/** Takes backups by the clock. A failure is logged and has no other effect. */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  /** The database's name without its extension. */
  readonly #stem: string;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #isAsked = false;
  #isStopping = false;
  #retryAt = 0;
  /** By event: the files that it was logged for. */
  readonly #warned = new Map<string, string>();
  isUnderWay = false;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
    this.#stem = parse(options.databasePath).name;
  }

  /** To be called once the service listens: a start that fails takes no backup. */
  begin(): void {
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
    this.#check();
  }

  /** Takes a backup now. If one is in progress, another follows it, because it may lack the latest writes. */
  takeNow(): void {
    this.#isAsked = true;
    this.#check();
  }

  /** Begins no further backup. Closing the storage aborts the one in progress. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#timer);
  }

  /** Newest first. Rejects if the folder can't be read. */
  async kept(): Promise<readonly SizedBackup[]> {
    return (await this.#files()).finished;
  }

  /** Resolves when no backup is in progress. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  #check(): void {
    if (this.#isStopping || this.#working !== undefined) return;
    this.#working = this.#takeIfDue()
      .catch((error: unknown) => {
        this.#retryAt = performance.now() + RETRY_MS;
        if (this.#isStopping) return this.#options.log.info('backup_broken_off');
        this.#options.events?.backupFailed(messageOf(error));
        this.#options.log.error('backup_failed', messageOf(error));
      })
      .finally(() => {
        this.#working = undefined;
        this.isUnderWay = false;
        if (this.#isAsked) this.#check();
      });
  }

  async #takeIfDue(): Promise<void> {
    const { settings } = this.#options;
    const isAsked = this.#isAsked;
    this.#isAsked = false;
    if (!isAsked && performance.now() < this.#retryAt) return;
    // Even if none is due, so that an operator learns at once that none can be taken.
    const { finished, unfinished } = await this.#files();
    const now = Date.now();
    const newest = finished.find(({ takenAt }) => takenAt <= now);
    const age = now - (newest?.takenAt ?? 0);
    const isDue = settings.intervalHours > 0 && age >= settings.intervalHours * HOUR_MS;
    if (isAsked || isDue) {
      // What a killed process left.
      await this.#remove(unfinished);
      await this.#take();
    } else this.#rotation(finished, now);
  }

  async #take(): Promise<void> {
    const { storage, log, events } = this.#options;
    this.isUnderWay = true;
    const takenAt = Date.now();
    const file = this.#pathOf(backupName(this.#stem, takenAt));
    const startedAt = performance.now();
    const { bytes, recordCount, auditEventCount } = await storage.backup(file);
    const milliseconds = Math.round(performance.now() - startedAt);
    events?.backupTaken(Date.now(), milliseconds, bytes);
    await this.#files()
      .then(({ finished }) => this.#remove(this.#rotation(finished, takenAt)))
      .catch((error: unknown) => log.error('backup_not_removed', messageOf(error)));
    const counts = { records: recordCount, audit_events: auditEventCount };
    log.info('backup_taken', { file, bytes, ...counts, milliseconds });
  }

  /** The names of those that may be removed. Warns of those that an operator should look at. */
  #rotation(finished: readonly SizedBackup[], now: number): readonly string[] {
    const { settings, events } = this.#options;
    const { removable, heldBack } = rotationOf(finished, now, settings.keep);
    events?.backupsHeldBack(heldBack.length);
    this.#warn(
      'backup_held_back',
      heldBack,
      'every newer backup has less than two thirds of their size, so they are not removed: check whether records were lost, restore one, or remove them by hand',
    );
    this.#warn(
      'backup_from_future',
      finished.filter(({ takenAt }) => takenAt > now),
      "a wrong clock gave these backups a time in the future; they are ignored, and removed before the others: check this machine's clock, and remove them if you trust the others",
    );
    return removable;
  }

  /** Once for each set of files. */
  #warn(event: string, found: readonly SizedBackup[], hint: string): void {
    const files = found.map(({ name }) => this.#pathOf(name)).join(', ');
    if (files !== '' && files !== this.#warned.get(event)) {
      this.#options.log.warn(event, { files, hint });
    }
    this.#warned.set(event, files);
  }

  async #files() {
    const names = await namesIn(this.#options.settings.folder);
    const { finished, unfinished } = backupsIn(names, this.#stem);
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
