// Starts the service over a database file: opens the file, loads its records, takes its backups.

import { resolve } from 'node:path';
import { openRecords } from '../../core/records/memory-store.js';
import { recordCount } from '../../core/records/usage-view.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { type FileStorage, openLibsqlStorage } from '../../libsql.js';
import { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { placeOf } from '../../storage/file/file-place.js';
import { isInUse } from '../../storage/file/state-mark.js';
import { erasedAccounts } from './erased-accounts.js';
import { watchFile } from './lost-file.js';
import { ReplicaWatch } from './replica-watch.js';
import { runOver, type ServedRecords, type Service, type ServiceOptions } from './service.js';
import type { Turns } from './turns.js';

/** A start waits this long for the replica. Then the service answers all the same. */
const REPLICA_REACHED_MAX_MS = 5_000;

export interface FileServiceOptions extends ServiceOptions {
  /** Called once when storage can no longer be relied on. Stop the process then; a restart reads the stored records. */
  readonly onStorageLost: () => void;
}

/** Resolves when the service listens. Rejects with one sentence that names the cause. */
export function startService(options: FileServiceOptions): Promise<Service> {
  return runOver((turns, events) => open(turns, events, options), options);
}

async function open(
  turns: Turns,
  events: ServiceEvents | undefined,
  options: FileServiceOptions,
): Promise<ServedRecords> {
  const { settings, log } = options;
  const { replication, databasePath: path } = settings;
  const replica = replication && new ReplicaWatch();
  const wasKilled = isInUse(await placeOf(path));
  const storage = await openLibsqlStorage({
    path,
    backupFolder: settings.backups?.folder,
    createAnyway: settings.databaseCreate,
    sampleRows: settings.sampleRecords,
    replication: replication && {
      ...replication,
      onReport: (report) => replica?.take(report, log, events),
    },
  });
  if (wasKilled) {
    // A kernel that ends processes for their memory writes to its own log alone.
    const hint =
      'the process before this one ended without a stop; every acknowledged write is there. If its last lines give no reason, it was killed, most often for its memory (journalctl -k), or the machine lost power';
    log.warn('previous_process_killed', { hint });
  }
  if (storage.isNew) {
    const hint =
      'there was none; if there should have been one, stop the service and check DATABASE_URL and its disk';
    log.warn('database_created', { file: resolve(path), hint });
  } else if (settings.databaseCreate) {
    const hint = 'unset DATABASE_CREATE, or a lost database will be replaced by an empty one';
    log.warn('database_create_set', { hint });
  }
  try {
    return await load(storage, replica, turns, events, options);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function load(
  storage: FileStorage,
  replica: ReplicaWatch | undefined,
  { scheduler, work }: Turns,
  events: ServiceEvents | undefined,
  { settings, log, onStorageLost }: FileServiceOptions,
): Promise<ServedRecords> {
  const records = await openRecords({
    storage,
    log,
    scheduler,
    work,
    limits: settings.accountLimits,
    ...(events && { events }),
    onStorageLost() {
      events?.storageLost();
      onStorageLost();
    },
  });
  // So that Litestream has taken a commit of this file before the first request.
  await replica?.reached(REPLICA_REACHED_MAX_MS);
  // Before the first answer could show them.
  const erased = await erasedAccounts(settings, records, storage, log);
  const { databasePath } = settings;
  const backups =
    settings.backups &&
    new BackupSchedule({ storage, databasePath, settings: settings.backups, log, events });
  const isReplicated = replica !== undefined;
  const file = watchFile({ storage, records, backups, isReplicated }, log, events);
  return {
    records,
    inMemory: records,
    facts: { file: databasePath, records: recordCount(records.counts()) },
    storage: {
      look: file.look,
      ping: () => storage.ping(),
      touch: () => storage.touch(),
    },
    backups,
    backupHint: 'set BACKUP_DIR',
    replica,
    erasedAccounts: erased,
    async close() {
      backups?.stop();
      await file.stop();
      await records.close();
    },
  };
}
