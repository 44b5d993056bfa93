// When backups are taken, and how many are kept. The schedule's only state is the files in the folder, so a
// restart changes nothing.

import { access, constants, readdir, rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { explained, messageOf } from '../file/connection-errors.js';
import { BACKUP_NAME_END } from '../file/database-path.js';
import type { FileStorage } from '../file/file-storage.js';

/** How often the schedule reads the folder, and retries after a failure. */
const CHECK_MS = 10 * 60_000;
/**
 * A backup replaces an older one that is at most this much larger. Otherwise a service that lost its records
 * would replace the good backups by backups of almost nothing.
 */
const REPLACED_SIZE_RATIO = 1.5;
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

/** Takes backups at intervals. A failure is only logged. */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #isRequested = false;
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
    this.#isRequested = true;
    void this.check();
  }

  /** Starts no further backup. Closing the storage aborts the one in progress. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#timer);
  }

  /** The backups in the folder, newest first. Rejects if the folder can't be used. */
  files = () => backupsIn(this.#options.settings.folder, parse(this.#options.databasePath).name);

  /** Takes a backup if one is due or was requested, after the one in progress. Never rejects. */
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
    const isRequested = this.#isRequested;
    this.#isRequested = false;
    // Read even if no backup is due, so that an operator learns at once of a problem.
    const before = await this.files();
    const now = Date.now();
    // A wrong clock may have dated a backup in the future.
    const newest = before.find(({ takenAt }) => takenAt <= now)?.takenAt ?? 0;
    const isDue = intervalHours > 0 && now >= newest + intervalHours * HOUR_MS;
    if (!isRequested && !isDue) return;
    const file = join(folder, backupName(parse(databasePath).name, now));
    const { bytes, recordCount: records, auditEventCount } = await storage.backup(file);
    const milliseconds = Date.now() - now;
    events?.backupTaken();
    log.info('backup_taken', { file, bytes, records, audit_events: auditEventCount, milliseconds });
    // Backups dated in the future would displace every new one.
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
      const end = name.startsWith(stem) ? BACKUP_NAME_END.exec(name.slice(stem.length)) : null;
      const [, day, hour, minute, second] = end ?? [];
      const takenAt = Date.parse(`${day}T${hour}:${minute}:${second}`);
      if (Number.isNaN(takenAt)) continue;
      // The file may have been removed in the meantime.
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
    const isReplaced = newer.some(({ bytes }) => file.bytes <= REPLACED_SIZE_RATIO * bytes);
    return { ...file, isReplaced };
  });
}
