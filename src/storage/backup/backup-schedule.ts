// When backups are taken, and how many are kept. The files in the folder are the only memory of
// the schedule, so a restart changes nothing.

import { rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { Log } from '../../core/log.js';
import { type ServiceEvents, silentEvents } from '../../core/service-events.js';
import type { FileStorage } from '../file/file-storage.js';
import { namesIn } from './backup-folder.js';
import { BackupNames } from './backup-names.js';
import { recordsIn } from './backups.js';
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
  /** How many records a backup holds; undefined if it is none. Default: the file is asked. */
  readonly recordsIn?: (path: string) => Promise<number | undefined>;
}

/** A finished backup in the folder. */
export interface KeptBackup {
  readonly name: string;
  /** Milliseconds since 1970, UTC. */
  readonly takenAt: number;
  readonly bytes: number;
  /** Undefined until it was counted, and if it cannot be opened. */
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
  /** The files in the last line of each warning. */
  readonly #said = new Map<string, string>();
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
      // Also if none is due: an operator learns now that none can be taken.
      await this.#holdBack(await namesIn(options.settings.folder));
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

  /** Newest first. Rejects if the folder cannot be read. Those that were not counted yet are counted afterwards. */
  async kept(): Promise<KeptBackup[]> {
    const { folder } = this.#options.settings;
    const kept: KeptBackup[] = [];
    for (const [takenAt, name] of this.#names.byAge(await this.#list())) {
      // It may be removed in the meantime.
      const file = await stat(join(folder, name)).catch(() => undefined);
      if (file === undefined) continue;
      const records = this.#counts.get(name);
      const opens = this.#counts.has(name) ? records !== undefined : undefined;
      kept.push({ name, takenAt, bytes: file.size, records, opens });
    }
    // One after the other: each takes a process.
    this.#counting ??= (async () => {
      for (const { name } of kept) if (!this.#stopping) await this.#countOf(name);
    })().finally(() => {
      this.#counting = undefined;
    });
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
      const { folder } = this.#options.settings;
      this.#tellFailure(`the folder ${folder} does not answer; look at its disk`);
    }
  }

  #run(task: () => Promise<void>): void {
    if (this.#stopping || this.#underWay !== undefined) return;
    this.#begunAt = performance.now();
    this.#underWay = task()
      .catch((error: unknown) => {
        this.#retryAt = performance.now() + RETRY_MS;
        if (this.#stopping) this.#options.log.info('backup_broken_off');
        else this.#tellFailure(reasonOf(error));
      })
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
    this.#warnOnce('backup_from_future', this.#names.fromFuture(names, now), {
      hint: "a wrong clock gave these backups a time that is yet to come; they count for nothing and are removed before the others; look at this machine's clock, and remove them if you trust the others",
    });
    const newest = this.#names.newest(names, now);
    if (newest === undefined || now - newest >= intervalHours * HOUR_MS) await this.#take();
  }

  async #take(): Promise<void> {
    const { storage, log, settings } = this.#options;
    this.#isTaking = true;
    try {
      // What a killed process left.
      const left = (await this.#list()).filter((name) => this.#names.isUnfinished(name));
      for (const name of left) await rm(join(settings.folder, name), { force: true });
      const name = this.#names.at(Date.now());
      const file = join(settings.folder, name);
      const startedAt = performance.now();
      const { bytes, recordCount, auditEventCount } = await storage.backup(file);
      const milliseconds = Math.round(performance.now() - startedAt);
      this.#events.backupTaken(Date.now(), milliseconds, bytes);
      this.#counts.set(name, recordCount);
      await this.#prune(name).catch((error) => log.error('backup_not_removed', reasonOf(error)));
      const counts = { records: recordCount, audit_events: auditEventCount };
      log.info('backup_taken', { file, bytes, ...counts, milliseconds });
    } finally {
      this.#isTaking = false;
    }
  }

  async #prune(taken: string): Promise<void> {
    const { folder, keep } = this.#options.settings;
    const names = await this.#list();
    const held = await this.#holdBack(names, taken);
    for (const name of this.#names.surplus(names, taken, keep)) {
      if (!held.has(name)) await rm(join(folder, name), { force: true });
    }
  }

  /** The names of old backups that stay because of what they hold. `taken`: the newest. */
  async #holdBack(names: readonly string[], taken?: string): Promise<ReadonlySet<string>> {
    const { folder, keep } = this.#options.settings;
    const byAge = this.#names.byAge(names).map(([, name]) => name);
    const surplus = this.#names.surplus(names, taken ?? byAge[0] ?? '', keep);
    const kept = byAge.filter((name) => !surplus.includes(name)).reverse();
    const held = await heldBack({ surplus, kept, countOf: (name) => this.#countOf(name) });
    this.#events.backupsHeldBack(held.length);
    const files = held.map(({ name }) => join(folder, name));
    this.#warnOnce('backup_held_back', files, {
      records: held.map(({ records }) => records).join(', '),
      hint: 'the backups after these hold less than two thirds of their records; they are not removed: look whether records were lost, restore one, or remove them by hand',
    });
    return new Set(held.map(({ name }) => name));
  }

  /** A log line for each change of the files. */
  #warnOnce(event: string, of: readonly string[], fields: Readonly<Record<string, string>>): void {
    const files = of.join(', ');
    if (files === (this.#said.get(event) ?? '')) return;
    this.#said.set(event, files);
    if (files !== '') this.#options.log.warn(event, { files, ...fields });
  }

  async #countOf(name: string): Promise<number | undefined> {
    const { settings, recordsIn: count = recordsIn } = this.#options;
    if (!this.#counts.has(name)) this.#counts.set(name, await count(join(settings.folder, name)));
    return this.#counts.get(name);
  }

  #list(): Promise<string[]> {
    return namesIn(this.#options.settings.folder, true);
  }

  #tellFailure(reason: string): void {
    this.#events.backupFailed(reason);
    this.#options.log.error('backup_failed', reason);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
