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
import { keptPath } from '../../storage/file/state-mark.js';

const LOOK_MS = 1_000;
const RESTORE = 'stop the service, restore the saved copy or the newest backup, and start it';
const SAVE = 'do not restart: save everything first with the command dump';

export interface WatchedFile {
  readonly storage: FileStorage;
  readonly records: OpenRecords;
  readonly backups: { stop(): void } | undefined;
  /** Litestream may write the log back and remove it; else it is always beside the file. */
  readonly isReplicated: boolean;
}

/** `look` looks now. `stop`, before the records are closed, tries again to save what could not be saved. */
export function watchFile(file: WatchedFile, log: Log, events: ServiceEvents | undefined) {
  const { storage, records, backups, isReplicated } = file;
  const { path } = storage;
  const opened = identityOf(statSync(path, { bigint: true }));
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  let logMissing = 0;
  let isOver = false;
  /** One check at a time: on a disk that hangs they would pile up. */
  let looking: Promise<void> | undefined;
  /** Resolves with whether the copy is saved; undefined as long as there is nothing to save. */
  let saving: Promise<boolean> | undefined;

  function look(): Promise<void> {
    looking ??= compare().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function compare(): Promise<void> {
    if (isOver) return;
    const lost = await lossAtPath();
    const isIntact = lost !== undefined || (await storage.isIntact().catch(() => true));
    if ((lost === undefined && isIntact) || isOver) return;
    end();
    backups?.stop();
    const refused = records.refuseWrites();
    if (lost === undefined) {
      events?.databaseDamaged();
      const reason = `another program wrote the database file ${path}`;
      log.error('database_damaged', reason, { hint: `writes are refused; ${SAVE}` });
    } else {
      events?.storageLost();
      log.error('storage_lost', lost, { hint: `writes are refused; ${RESTORE}` });
      saving = refused.then(save);
    }
  }

  function end(): void {
    isOver = true;
    clearInterval(timer);
  }

  /** Asks for the file by its name: opening and closing it would drop the lock on it. */
  async function lossAtPath(): Promise<string | undefined> {
    const found = await identityAt(path);
    if (found === 'unknown') return undefined;
    if (found === 'none') return `the database file ${path} is gone, or its disk`;
    if (found !== opened) return `another file is in the place of the database file ${path}`;
    // A new connection makes a new log: it may be missing for a moment.
    const isMissing = !isReplicated && (await identityAt(`${path}-wal`)) === 'none';
    logMissing = isMissing ? logMissing + 1 : 0;
    return logMissing > 1 ? `the log ${path}-wal is gone` : undefined;
  }

  async function save(): Promise<boolean> {
    const copy = keptPath(path, 'saved', Date.now());
    try {
      const { recordCount, auditEventCount } = await storage.save(copy);
      const counts = { records: recordCount, audit_events: auditEventCount };
      log.warn('database_saved', { file: copy, ...counts });
      return true;
    } catch (error) {
      log.error('database_not_saved', error);
      return false;
    }
  }

  async function stop(): Promise<void> {
    await look();
    end();
    if (saving !== undefined && !(await saving)) await save();
  }

  return { look, stop };
}

/** `none` if there is no such file; `unknown` if the system does not tell. */
function identityAt(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(identityOf, ({ code }) =>
    code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : 'unknown',
  );
}

function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev} ${ino}`;
}
