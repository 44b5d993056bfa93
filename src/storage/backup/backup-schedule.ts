// When backups are taken, their names and how many are kept. The files in the
// folder are the only memory of the schedule, so a restart changes nothing.

import { readdir, rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import { type ServiceEvents, silentEvents } from '../../core/service-events.js';
import type { FileStorage } from '../file/file-storage.js';
import { expectBackupFolder, folderErrorText } from './backup-folder.js';
import { BackupNames } from './backup-names.js';
import { recordsIn } from './record-count.js';
import { heldBack } from './rotation.js';

/** How often the schedule reads the folder. */
const LOOK_MS = 60_000;
/** Wait after a failure: long enough for a disk or an operator to recover. */
const RETRY_MS = 600_000;
/** Longer than a backup may take. If this passes, the disk does not answer at all. */
const HANG_MS = 2_400_000;

/** The folder of the backups, how often one is taken and how many are kept. */
export interface BackupPlan {
  readonly folder: string;
  readonly intervalHours: number;
  readonly keep: number;
}

export interface BackupScheduleOptions {
  readonly storage: FileStorage;
  readonly databasePath: string;
  readonly settings: BackupPlan;
  readonly log: Log;
  readonly events?: ServiceEvents | undefined;
  /** How many records a backup holds; undefined where it is none. Default: the file is asked. */
  readonly recordsIn?: (path: string) => Promise<number | undefined>;
}

/** A finished backup in the folder. */
export interface KeptBackup {
  readonly name: string;
  /** Milliseconds since 1970, UTC. */
  readonly takenAt: number;
  readonly bytes: number;
  /** Undefined until it was counted, and where it cannot be opened. */
  readonly records: number | undefined;
  /** Whether it could be opened and counted; undefined until this process has looked. */
  readonly opens: boolean | undefined;
}

/** Takes backups by the clock. A failure is logged and has no other effect. */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  readonly #names: BackupNames;
  readonly #events: ServiceEvents;
  readonly #timer: NodeJS.Timeout;
  #underWay: Promise<void> | undefined;
  #isTaking = false;
  #begunAt = 0;
  #hangs = false;
  #askedAgain = false;
  #stopping = false;
  #retryAt = 0;
  /** The names in the last line about them. */
  #saidFromFuture = '';
  #saidHeldBack = '';
  /** Of finished backups, by their names: they never change. */
  readonly #counts = new Map<string, number | undefined>();
  #counting: Promise<void> | undefined;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
    this.#events = options.events ?? silentEvents;
    this.#names = new BackupNames(parse(options.databasePath).name);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
    this.#run(async () => {
      await this.#holdBack();
      // Also where none is due: an operator learns now that none can be taken.
      await expectBackupFolder(options.settings.folder);
      await this.#takeIfDue();
    });
  }

  /** Takes a backup now. If one is under way, another follows it, because the first may lack the latest writes. */
  takeNow(): void {
    if (this.#underWay === undefined) this.#run(() => this.#take());
    else this.#askedAgain = true;
  }

  /** Begins no further backup. Closing the storage breaks off the one under way. */
  stop(): void {
    this.#stopping = true;
    clearInterval(this.#timer);
  }

  /** One is being taken now; to look whether one is due is not that. */
  get isUnderWay(): boolean {
    return this.#isTaking;
  }

  /** Newest first. Rejects where the folder cannot be read. Those that were not counted yet are counted afterwards. */
  async kept(): Promise<KeptBackup[]> {
    const { folder } = this.#options.settings;
    const kept: KeptBackup[] = [];
    for (const [takenAt, name] of this.#names.byAge(await this.#list())) {
      // One may be removed meanwhile.
      const file = await stat(join(folder, name)).catch(() => undefined);
      if (file === undefined) continue;
      const records = this.#counts.get(name);
      const opens = this.#counts.has(name) ? records !== undefined : undefined;
      kept.push({ name, takenAt, bytes: file.size, records, opens });
    }
    this.#countLater(kept.map(({ name }) => name));
    return kept;
  }

  /** Resolves when no backup is under way. */
  async idle(): Promise<void> {
    while (this.#underWay !== undefined) await this.#underWay;
  }

  #look(): void {
    if (this.#underWay === undefined) this.#run(() => this.#takeIfDue());
    else if (!this.#hangs && performance.now() - this.#begunAt > HANG_MS) {
      this.#hangs = true;
      const { log, settings } = this.#options;
      const reason = `the folder ${settings.folder} does not answer; look at its disk`;
      this.#events.backupFailed(reason);
      log.error('backup_failed', reason);
    }
  }

  #run(task: () => Promise<void>): void {
    if (this.#stopping || this.#underWay !== undefined) return;
    this.#begunAt = performance.now();
    this.#underWay = task()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#underWay = undefined;
        this.#hangs = false;
        if (!this.#askedAgain) return;
        this.#askedAgain = false;
        this.takeNow();
      });
  }

  async #takeIfDue(): Promise<void> {
    const { intervalHours } = this.#options.settings;
    if (intervalHours === 0 || performance.now() < this.#retryAt) return;
    const now = Date.now();
    const names = await this.#list();
    this.#warnOfFuture(names, now);
    const newest = this.#names.newest(names, now);
    if (newest === undefined || now - newest >= intervalHours * HOUR_MS) await this.#take();
  }

  /** A log line for each change of what is there. */
  #warnOfFuture(names: readonly string[], now: number): void {
    const files = this.#names.fromFuture(names, now).join(', ');
    if (files === this.#saidFromFuture) return;
    this.#saidFromFuture = files;
    if (files === '') return;
    this.#options.log.warn('backup_from_future', {
      files,
      hint: "a wrong clock gave these backups a time that is yet to come; they count for nothing and are removed before the others; look at this machine's clock, and remove them where you trust the others",
    });
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      await this.#copy();
    } finally {
      this.#isTaking = false;
    }
  }

  async #copy(): Promise<void> {
    const { storage, log, settings } = this.#options;
    await this.#removeUnfinished();
    const name = this.#names.at(Date.now());
    const startedAt = performance.now();
    const { bytes, recordCount, auditEventCount } = await storage.backup(
      join(settings.folder, name),
    );
    const milliseconds = Math.round(performance.now() - startedAt);
    this.#events.backupTaken(Date.now(), milliseconds, bytes);
    this.#counts.set(name, recordCount);
    await this.#prune(name);
    log.info('backup_taken', {
      file: join(settings.folder, name),
      bytes,
      records: recordCount,
      audit_events: auditEventCount,
      milliseconds,
    });
  }

  /** Removes what a killed process left. Only while no backup is under way. */
  async #removeUnfinished(): Promise<void> {
    const { folder } = this.#options.settings;
    const left = (await this.#list()).filter((name) => this.#names.isUnfinished(name));
    for (const name of left) await rm(join(folder, name), { force: true });
  }

  async #prune(taken: string): Promise<void> {
    const { log, settings } = this.#options;
    try {
      const surplus = this.#names.surplus(await this.#list(), taken, settings.keep);
      const held = await this.#holdBack(taken);
      for (const name of surplus) {
        if (!held.has(name)) await rm(join(settings.folder, name), { force: true });
      }
    } catch (error) {
      log.error('backup_not_removed', reasonOf(error));
    }
  }

  /** The names of old backups that stay because of what they hold; a log line for each change. `taken`: the newest. */
  async #holdBack(taken?: string): Promise<Set<string>> {
    const { folder, keep } = this.#options.settings;
    const names = await this.#list().catch(() => []);
    const byAge = this.#names.byAge(names).map(([, name]) => name);
    const surplus = this.#names.surplus(names, taken ?? byAge[0] ?? '', keep);
    const kept = byAge.filter((name) => !surplus.includes(name)).reverse();
    const held = await heldBack({ surplus, kept, countOf: (name) => this.#countOf(name) });
    this.#events.backupsHeldBack(held.length);
    const files = held.map(({ name }) => join(folder, name)).join(', ');
    if (files === this.#saidHeldBack) return new Set(held.map(({ name }) => name));
    this.#saidHeldBack = files;
    if (held.length > 0) {
      this.#options.log.warn('backup_held_back', {
        files,
        records: held.map(({ records }) => records).join(', '),
        hint: 'the backups after these hold less than two thirds of their records; they are not removed: look whether records were lost, restore one, or remove them by hand',
      });
    }
    return new Set(held.map(({ name }) => name));
  }

  /** One after the other: each takes a process. */
  #countLater(names: readonly string[]): void {
    this.#counting ??= (async () => {
      for (const name of names) {
        if (this.#stopping) break;
        await this.#countOf(name);
      }
    })().finally(() => {
      this.#counting = undefined;
    });
  }

  async #countOf(name: string): Promise<number | undefined> {
    const { settings, recordsIn: count = recordsIn } = this.#options;
    if (!this.#counts.has(name)) this.#counts.set(name, await count(join(settings.folder, name)));
    return this.#counts.get(name);
  }

  async #list(): Promise<string[]> {
    const { folder } = this.#options.settings;
    try {
      return await readdir(folder);
    } catch (error) {
      throw new Error(
        `the folder of the backups ${folder} cannot be used: ${folderErrorText(error)}`,
      );
    }
  }

  #failed(error: unknown): void {
    const { log } = this.#options;
    if (this.#stopping) {
      log.info('backup_broken_off');
      return;
    }
    this.#retryAt = performance.now() + RETRY_MS;
    this.#events.backupFailed(reasonOf(error));
    log.error('backup_failed', reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
