// Notices that the open database file is no longer the one at its path (deleted, replaced, its disk
// unmounted), or that another program wrote to it. SQLite itself notices neither, and every later write
// would be lost when the process ends. So the service refuses writes and says so. Of a file that
// disappeared it saves a copy in the same folder; only memory still has what was in a damaged file.

import { stat } from 'node:fs/promises';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { FileStorage } from '../../libsql.js';
import { keptPath } from '../../storage/file/state-mark.js';

const LOOK_MS = 1_000;
const RESTORE = 'stop the service, restore the saved copy or the newest backup, and start it';
const SAVE = 'do not restart: save everything first with the command dump';

interface Watched {
  readonly storage: FileStorage;
  readonly records: OpenRecords;
  readonly backups: { stop(): void } | undefined;
  /** Litestream may write the log back and remove it; otherwise it is always next to the file. */
  readonly isReplicated: boolean;
}

/** `look` looks now. `stop`, before the records are closed, tries again to save what could not be saved. */
export async function watchFile(watched: Watched, log: Log, events: ServiceEvents | undefined) {
  const { storage, records, backups, isReplicated } = watched;
  const { path } = storage;
  const opened = await identityAt(path);
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  let wasLogMissing = false;
  let isOver = false;
  /** One look at a time: on a disk that hangs they would pile up. */
  let looking: Promise<void> | undefined;
  /** Resolves with false if a copy must be saved and could not be. */
  let saving = Promise.resolve(true);

  function look(): Promise<void> {
    looking ??= compare().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function compare(): Promise<void> {
    const lost = await lossAtPath();
    if (isOver || (lost === undefined && (await storage.isIntact().catch(() => true)))) return;
    isOver = true;
    clearInterval(timer);
    backups?.stop();
    const refused = records.refuseWrites();
    if (lost === undefined) {
      events?.databaseDamaged();
      const reason = `another program wrote to the database file ${path}`;
      log.error('database_damaged', reason, { hint: `writes are refused; ${SAVE}` });
    } else {
      events?.storageLost();
      log.error('storage_lost', lost, { hint: `writes are refused; ${RESTORE}` });
      saving = refused.then(save);
    }
  }

  async function lossAtPath(): Promise<string | undefined> {
    const found = await identityAt(path);
    if (found === 'unknown') return undefined;
    if (found === 'none') return `the database file ${path} is gone, or its disk`;
    if (found !== opened) return `another file is in the place of the database file ${path}`;
    // A new connection makes a new log: it may be missing for a moment.
    const before = wasLogMissing;
    wasLogMissing = !isReplicated && (await identityAt(`${path}-wal`)) === 'none';
    return before && wasLogMissing ? `the log ${path}-wal is gone` : undefined;
  }

  async function save(): Promise<boolean> {
    const file = keptPath(path, 'saved', Date.now());
    try {
      const { recordCount, auditEventCount } = await storage.save(file);
      log.warn('database_saved', { file, records: recordCount, audit_events: auditEventCount });
      return true;
    } catch (error) {
      log.error('database_not_saved', error);
      return false;
    }
  }

  async function stop(): Promise<void> {
    await look();
    clearInterval(timer);
    if (!(await saving)) await save();
  }

  return { look, stop };
}

/** `none` if there is no such file, `unknown` if the system can't tell. By name: opening and closing the file would drop the lock on it. */
function identityAt(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    ({ code }) => (code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : 'unknown'),
  );
}
