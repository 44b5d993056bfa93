// Starts the service over a database file: opens the file, loads its records, takes its backups.

import { openRecords } from '../../core/records/memory-store.js';
import { totalsOf } from '../../core/records/usage-view.js';
import { openLibsqlStorage } from '../../libsql.js';
import { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { watchFile } from './file-watch.js';
import { watchReplica } from './replica-watch.js';
import { type ServiceOptions, startWithBackend } from './service.js';

const HINTS = {
  previous_process_killed:
    'the previous process ended without a clean stop; no acknowledged write is lost. If its last log lines give no reason, it was killed, most often for its memory (journalctl -k), or the machine lost power',
  database_created:
    'there was no database; if there should have been one, stop the service and check DATABASE_URL and its disk',
  database_create_set: 'unset DATABASE_CREATE, or a lost database will be replaced by an empty one',
};

export interface FileServiceOptions extends ServiceOptions {
  /** Called once it is unknown what is stored. Stop the process then; a restart reads what is on disk. */
  readonly onStorageLost: () => void;
}

/** Resolves when the service listens. Rejects with one sentence that names the cause. */
export function startService(options: FileServiceOptions) {
  const { settings, log, onStorageLost } = options;
  const { databasePath, databaseCreate, replication, backups: plan } = settings;
  return startWithBackend(async (scheduler, events) => {
    const replica = replication && watchReplica(log, events);
    const storage = await openLibsqlStorage({
      path: databasePath,
      backupFolder: plan?.folder,
      createAnyway: databaseCreate,
      sampleRows: settings.sampleRecords,
      replication: replica && { ...replication, onReport: replica.take },
    });
    const { path, isNew, wasKilled } = storage;
    const warn = (event: keyof typeof HINTS) => log.warn(event, { file: path, hint: HINTS[event] });
    if (wasKilled) warn('previous_process_killed');
    if (isNew) warn('database_created');
    else if (databaseCreate) warn('database_create_set');
    try {
      const records = await openRecords({
        ...{ storage, log, scheduler, events, limits: settings.accountLimits },
        onStorageLost() {
          events?.storageLost();
          onStorageLost();
        },
      });
      const checkFile = await watchFile(path, records, log, events);
      return {
        ...{ records, inMemory: records, replica },
        backups: plan && new BackupSchedule({ storage, databasePath, settings: plan, log, events }),
        logFields: { file: databasePath, records: totalsOf(records.counts()).record_count },
        storage: { checkFile, ping: () => storage.ping(), touch: () => storage.touch() },
        close: () => records.close(),
      };
    } catch (error) {
      await storage.close();
      throw error;
    }
  }, options);
}
