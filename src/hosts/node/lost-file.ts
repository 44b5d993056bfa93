// Notices that the open database file is no longer the one at its path (deleted, replaced, its disk
// unmounted), or that another program wrote it. SQLite itself notices neither, and every later write
// would be lost when the process ends. So the service refuses writes and says so. Of a file that
// disappeared it saves a copy beside its place; only memory still has what was in a damaged file.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { FileStorage } from '../../libsql.js';
import type { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { keptPath } from '../../storage/file/state-mark.js';

const LOOK_MS = 1_000;

export interface LostFileOptions {
  /** Litestream may write the log back and remove it; else it is always beside the file. */
  readonly isReplicated: boolean;
  readonly storage: FileStorage;
  readonly records: OpenRecords;
  readonly backups: BackupSchedule | undefined;
  readonly log: Log;
  readonly events: ServiceEvents | undefined;
}

export class LostFile {
  readonly #options: LostFileOptions;
  readonly #opened: string;
  readonly #timer: NodeJS.Timeout;
  #logMissing = 0;
  #isOver = false;
  /** One check at a time: on a disk that hangs they would pile up. */
  #looking: Promise<void> | undefined;
  /** Resolves with whether the copy is saved; undefined as long as there is nothing to save. */
  #saving: Promise<boolean> | undefined;

  constructor(options: LostFileOptions) {
    this.#options = options;
    const { dev, ino } = statSync(options.storage.path, { bigint: true });
    this.#opened = `${dev} ${ino}`;
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Before the records are closed: tries again to save what could not be saved. */
  async stop(): Promise<void> {
    await this.look();
    this.#end();
    if (this.#saving !== undefined && !(await this.#saving)) await this.#save();
  }

  async #look(): Promise<void> {
    const { storage, records, backups, events, log } = this.#options;
    if (this.#isOver) return;
    const lost = await this.#lossAtPath();
    const isIntact = lost !== undefined || (await storage.isIntact().catch(() => true));
    if ((lost === undefined && isIntact) || this.#isOver) return;
    this.#end();
    backups?.stop();
    const refused = records.refuseWrites();
    if (lost === undefined) {
      events?.databaseDamaged();
      log.error('database_damaged', `another program wrote the database file ${storage.path}`, {
        hint: 'writes are refused; do not restart: save everything first with the command dump',
      });
    } else {
      events?.storageLost();
      log.error('storage_lost', lost, {
        hint: 'writes are refused; stop the service, restore the saved copy or the newest backup, and start it',
      });
      this.#saving = refused.then(() => this.#save());
    }
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  /** Asks for the file by its name: opening and closing it would drop the lock on it. */
  async #lossAtPath(): Promise<string | undefined> {
    const { storage, isReplicated } = this.#options;
    const { path } = storage;
    const found = await identityAt(path);
    if (found === 'unknown') return undefined;
    if (found === 'none') return `the database file ${path} is gone, or its disk`;
    if (found !== this.#opened) return `another file is in the place of the database file ${path}`;
    // A new connection makes a new log: it may be missing for a moment.
    const isMissing = !isReplicated && (await identityAt(`${path}-wal`)) === 'none';
    this.#logMissing = isMissing ? this.#logMissing + 1 : 0;
    return this.#logMissing > 1 ? `the log ${path}-wal is gone` : undefined;
  }

  async #save(): Promise<boolean> {
    const { log, storage } = this.#options;
    const file = keptPath(storage.path, 'saved', Date.now());
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

/** `none` if there is no such file; `unknown` if the system does not tell. */
async function identityAt(path: string): Promise<string> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : 'unknown';
  }
}
