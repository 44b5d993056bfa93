// What the service does when its database file goes while it runs: it takes no more writes,
// says so, and saves a copy of what it still has open beside the place where the file was.

import { resolve } from 'node:path';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { FileStorage } from '../../libsql.js';
import type { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { keptPath } from '../../storage/file/names-beside.js';
import type { Settings } from '../settings.js';
import { FileWatch } from './file-watch.js';

export interface LostFileOptions {
  readonly settings: Settings;
  readonly storage: FileStorage;
  readonly records: OpenRecords;
  readonly backups: BackupSchedule | undefined;
  readonly log: Log;
  readonly events: ServiceEvents | undefined;
}

export class LostFile {
  readonly #options: LostFileOptions;
  readonly #path: string;
  readonly #watch: FileWatch;
  /** Resolves with whether the copy is saved; undefined as long as the file is there. */
  #saving: Promise<boolean> | undefined;

  constructor(options: LostFileOptions) {
    const { settings } = options;
    this.#options = options;
    this.#path = resolve(settings.databasePath);
    this.#watch = new FileWatch({
      path: this.#path,
      hasLog: settings.replication === undefined,
      onLost: (reason) => this.#lose(reason),
    });
  }

  look(): Promise<void> {
    return this.#watch.look();
  }

  /** Before the records are closed: tries again to save what could not be saved. */
  async stop(): Promise<void> {
    await this.#watch.look();
    this.#watch.stop();
    if (this.#saving === undefined || (await this.#saving)) return;
    await this.#save();
  }

  #lose(reason: string): void {
    const { log, events, backups, records } = this.#options;
    events?.storageLost();
    log.error('storage_lost', reason, {
      hint: 'no write is taken any more; stop the service, restore the saved copy or the newest backup, and start it',
    });
    backups?.stop();
    this.#saving = records.refuseWrites().then(() => this.#save());
  }

  async #save(): Promise<boolean> {
    const { log, storage } = this.#options;
    const file = keptPath(this.#path, 'saved', Date.now());
    try {
      const { recordCount, auditEventCount } = await storage.save(file);
      log.warn('database_saved', { file, records: recordCount, audit_events: auditEventCount });
      return true;
    } catch (error) {
      log.error('database_not_saved', error);
      return false;
    }
  }
}
