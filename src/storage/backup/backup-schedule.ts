// When backups are taken, and how many are kept. The files in the folder are the only memory of
// the schedule, so a restart changes nothing.

import { rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { messageOf } from '../file/connection-errors.js';
import type { FileStorage } from '../file/file-storage.js';
import { type BackupFile, backupName, backupsIn, namesIn, rotationOf } from './backup-files.js';
import { recordsIn } from './backups.js';

/** How often the schedule reads the folder. */
const LOOK_MS = 60_000;
/** Wait after a failure: long enough for a disk or an operator to recover. */
const RETRY_MS = 600_000;

/** The folder of the backups, how often one is taken and how many are kept. */
export interface BackupPlan {
  readonly folder: string;
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

/** A finished backup in the folder. */
export interface KeptBackup extends BackupFile {
  readonly bytes: number;
  /** Undefined until it was counted, and if it cannot be opened. */
  readonly records: number | undefined;
  /** Whether it could be opened and counted; undefined until this process has looked. */
  readonly opens: boolean | undefined;
}

/** Takes backups by the clock. A failure is logged and has no other effect. */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  /** The database's name without its ending. */
  readonly #stem: string;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #isStopping = false;
  #retryAt = 0;
  /** Of finished backups, by their names: they never change. */
  readonly #counts = new Map<string, number | undefined>();
  isUnderWay = false;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
    this.#stem = parse(options.databasePath).name;
  }

  /** Called once the service listens: a start that fails leaves nothing in the folder. */
  begin(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    this.#look();
  }

  /** Takes a backup now. If one is under way, another follows it, because the first may lack the latest writes. */
  takeNow(): void {
    this.#isAsked = true;
    this.#look();
  }

  /** Begins no further backup. Closing the storage aborts the one under way. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#timer);
  }

  /** Newest first. Rejects if the folder cannot be read. */
  async kept(): Promise<KeptBackup[]> {
    const { finished } = await this.#files();
    const kept = finished.map(async (file): Promise<KeptBackup[]> => {
      // It may be removed in the meantime.
      const found = await stat(this.#pathOf(file.name)).catch(() => undefined);
      const records = this.#counts.get(file.name);
      const opens = this.#counts.has(file.name) ? records !== undefined : undefined;
      return found === undefined ? [] : [{ ...file, bytes: found.size, records, opens }];
    });
    return (await Promise.all(kept)).flat();
  }

  /** Resolves when no backup is under way. */
  async idle(): Promise<void> {
    while (this.#looking !== undefined) await this.#looking;
  }

  #look(): void {
    if (this.#isStopping || this.#looking !== undefined) return;
    this.#looking = this.#takeIfDue()
      .catch((error: unknown) => {
        this.#retryAt = performance.now() + RETRY_MS;
        if (this.#isStopping) return this.#options.log.info('backup_broken_off');
        this.#options.events?.backupFailed(messageOf(error));
        this.#options.log.error('backup_failed', messageOf(error));
      })
      .finally(() => {
        this.#looking = undefined;
        this.isUnderWay = false;
        if (this.#isAsked) this.#look();
      });
  }

  async #takeIfDue(): Promise<void> {
    const { intervalHours } = this.#options.settings;
    const isAsked = this.#isAsked;
    this.#isAsked = false;
    if (!isAsked && performance.now() < this.#retryAt) return;
    // Also if none is due: an operator learns now that none can be taken.
    const { finished, unfinished } = await this.#files();
    const newest = finished.find(({ takenAt }) => takenAt <= Date.now());
    const age = Date.now() - (newest?.takenAt ?? 0);
    if (isAsked || (intervalHours > 0 && age >= intervalHours * HOUR_MS)) {
      await this.#take(unfinished);
    } else if (this.#counts.size === 0) await this.#rotation(Date.now());
  }

  /** `unfinished`: what a killed process left. */
  async #take(unfinished: readonly string[]): Promise<void> {
    const { storage, log } = this.#options;
    this.isUnderWay = true;
    await this.#remove(unfinished);
    const takenAt = Date.now();
    const name = backupName(this.#stem, takenAt);
    const file = this.#pathOf(name);
    const startedAt = performance.now();
    const { bytes, recordCount, auditEventCount } = await storage.backup(file);
    const milliseconds = Math.round(performance.now() - startedAt);
    this.#options.events?.backupTaken(Date.now(), milliseconds, bytes);
    this.#counts.set(name, recordCount);
    await this.#rotation(takenAt)
      .then((removable) => this.#remove(removable))
      .catch((error: unknown) => log.error('backup_not_removed', messageOf(error)));
    const counts = { records: recordCount, audit_events: auditEventCount };
    log.info('backup_taken', { file, bytes, ...counts, milliseconds });
  }

  /** The names of those that may go. Warns of those that need an operator's eye. */
  async #rotation(now: number): Promise<readonly string[]> {
    const { settings, log } = this.#options;
    const { finished } = await this.#files();
    for (const { name } of finished) {
      if (!this.#counts.has(name)) this.#counts.set(name, await recordsIn(this.#pathOf(name)));
    }
    const { removable, heldBack } = rotationOf(finished, now, settings.keep, this.#counts);
    this.#options.events?.backupsHeldBack(heldBack.length);
    if (heldBack.length > 0) {
      log.warn('backup_held_back', {
        files: heldBack.map((name) => this.#pathOf(name)).join(', '),
        records: heldBack.map((name) => this.#counts.get(name)).join(', '),
        hint: 'the backups after these hold less than two thirds of their records; they are not removed: look whether records were lost, restore one, or remove them by hand',
      });
    }
    const fromFuture = finished.filter(({ takenAt }) => takenAt > now);
    if (fromFuture.length > 0) {
      log.warn('backup_from_future', {
        files: fromFuture.map(({ name }) => name).join(', '),
        hint: "a wrong clock gave these backups a time that is yet to come; they count for nothing and are removed before the others; look at this machine's clock, and remove them if you trust the others",
      });
    }
    return removable;
  }

  async #files(): Promise<ReturnType<typeof backupsIn>> {
    return backupsIn(await namesIn(this.#options.settings.folder), this.#stem);
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#pathOf(name), { force: true });
  }

  #pathOf(name: string): string {
    return join(this.#options.settings.folder, name);
  }
}
