// Starts the service over a database file: opens the file, loads its records, takes its backups.

import { resolve } from 'node:path';
import { openRecords } from '../../core/records/memory-store.js';
import { recordCount } from '../../core/records/usage-view.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { openLibsqlStorage } from '../../libsql.js';
import { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { placeOf } from '../../storage/file/file-place.js';
import { isInUse } from '../../storage/file/state-mark.js';
import { watchFile } from './lost-file.js';
import { watchReplica } from './replica-watch.js';
import { runOver, type ServedRecords, type ServiceOptions, type Turns } from './service.js';

const HINTS = {
  previous_process_killed:
    'the previous process ended without a clean stop; no acknowledged write is lost. If its last log lines give no reason, it was killed, most often for its memory (journalctl -k), or the machine lost power',
  database_created:
    'there was no database; if there should have been one, stop the service and check DATABASE_URL and its disk',
  database_create_set: 'unset DATABASE_CREATE, or a lost database will be replaced by an empty one',
};

export interface FileServiceOptions extends ServiceOptions {
  /** Called once when storage can no longer be relied on. Stop the process then; a restart reads the stored records. */
  readonly onStorageLost: () => void;
}

/** Resolves when the service listens. Rejects with one sentence that names the cause. */
export function startService(options: FileServiceOptions) {
  return runOver((turns, events) => open(turns, events, options), options);
}

async function open(
  turns: Turns,
  events: ServiceEvents | undefined,
  { settings, log, onStorageLost }: FileServiceOptions,
): Promise<ServedRecords> {
  const { databasePath, databaseCreate, replication } = settings;
  const replica = replication && watchReplica(log, events);
  const wasKilled = isInUse(await placeOf(databasePath));
  const storage = await openLibsqlStorage({
    path: databasePath,
    backupFolder: settings.backups?.folder,
    createAnyway: databaseCreate,
    sampleRows: settings.sampleRecords,
    replication: replica && { ...replication, onReport: replica.take },
  });
  const warn = (event: keyof typeof HINTS) =>
    log.warn(event, { file: resolve(databasePath), hint: HINTS[event] });
  if (wasKilled) warn('previous_process_killed');
  if (storage.isNew) warn('database_created');
  else if (databaseCreate) warn('database_create_set');
  try {
    const records = await openRecords({
      ...{ storage, log, scheduler: turns.scheduler, work: turns.work },
      limits: settings.accountLimits,
      ...(events && { events }),
      onStorageLost() {
        events?.storageLost();
        onStorageLost();
      },
    });
    const plan = settings.backups;
    const backups =
      plan && new BackupSchedule({ storage, databasePath, settings: plan, log, events });
    const watched = { storage, records, backups, isReplicated: replica !== undefined };
    const file = await watchFile(watched, log, events);
    return {
      ...{ records, inMemory: records, backups, replica },
      facts: { file: databasePath, records: recordCount(records.counts()) },
      storage: { look: file.look, ping: () => storage.ping(), touch: () => storage.touch() },
      async close() {
        await file.stop();
        await records.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
