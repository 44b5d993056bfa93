// What the service does when its database file disappears while it runs, or when another program
// writes it: it takes no more writes and says so. Of a file that disappeared it saves a copy
// beside the place where the file was; what is in a damaged file, its memory alone still has.

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
  /** Resolves with whether the copy is saved; undefined as long as there is nothing to save. */
  #saving: Promise<boolean> | undefined;

  constructor(options: LostFileOptions) {
    const { settings, storage } = options;
    this.#options = options;
    this.#path = storage.path;
    this.#watch = new FileWatch({
      path: this.#path,
      hasLog: settings.replication === undefined,
      isIntact: () => storage.isIntact(),
      onLost: (reason, isDamaged) => (isDamaged ? this.#damaged(reason) : this.#lose(reason)),
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

  #damaged(reason: string): void {
    const { log, events, backups, records } = this.#options;
    events?.databaseDamaged();
    log.error('database_damaged', reason, {
      hint: 'no write is taken any more; do not restart: take everything out first (the command dump)',
    });
    backups?.stop();
    void records.refuseWrites();
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
