// Backups. The database file is frozen while a child process copies it; another one checks the copy,
// which gets its name only if it is whole.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import { fileErrorText, isThere, removeDatabase } from './file-copy.js';

/** Until the copy is made, the log beside the database grows with every commit. */
const BACKUP_MAX_MS = 30 * 60_000;
/** How long closing waits for a backup to end: on a disk that hangs, its process may not. */
const CLOSE_MAX_MS = 2_000;

/** Numbers of records and audit events in a database. */
export interface DatabaseContents {
  readonly recordCount: number;
  /** Number of records by collection; a collection without records is absent. */
  readonly records: Readonly<Record<string, number>>;
  readonly auditEventCount: number;
}

export interface Backup extends DatabaseContents {
  readonly bytes: number;
}

/** The one message of a step's process. Only a check has `contents`. */
export interface StepOutcome {
  readonly error?: string;
  readonly contents?: DatabaseContents;
}

/** The thread that holds the database file: see `LibsqlFile.freeze` and `thaw`. */
interface HoldingThread {
  call(name: 'freeze' | 'thaw'): Promise<unknown>;
}

/** Takes the backups of one file, one at a time. */
export class Backups {
  readonly #path: string;
  readonly #thread: HoldingThread;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, thread: HoldingThread) {
    this.#path = path;
    this.#thread = thread;
  }

  /**
   * Copies the database as it is now to `path`: every finished commit, and none in part. Commits
   * continue. On failure it rejects with one sentence and leaves no file at `path`.
   */
  take(path: string): Promise<Backup> {
    const taken = this.#last.then(() => this.#take(path));
    this.#last = taken.catch(() => {});
    return taken;
  }

  /** Aborts the backup in progress. Resolves soon. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the database is being closed'));
    const late = new Promise((resolve) => void setTimeout(resolve, CLOSE_MAX_MS).unref());
    await Promise.race([this.#last, late]);
  }

  async #take(path: string): Promise<Backup> {
    const limit = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(BACKUP_MAX_MS)]);
    const copy = `${path}.part`;
    try {
      if (await isThere(path)) throw new Error('a file of that name exists; choose another name');
      limit.throwIfAborted();
      await this.#copy(copy, limit);
      const { contents } = await inProcess('check', [copy], limit);
      if (contents === undefined) throw new Error('its check has no result');
      const { size: bytes } = await stat(copy);
      await rename(copy, path);
      await syncFolder(dirname(path));
      return { ...contents, bytes };
    } catch (error) {
      const reason = fileErrorText(error);
      throw new Error(`the backup ${path} cannot be taken: ${reason}`, { cause: error });
    } finally {
      // After a success, SQLite may have left files beside the copy.
      await removeDatabase(copy).catch(() => {});
    }
  }

  /** Commits stay in the log during the copy, so the copy is one snapshot. */
  async #copy(target: string, limit: AbortSignal): Promise<void> {
    let stayed = false;
    await this.#thread.call('freeze');
    try {
      await inProcess('copy', [this.#path, target], limit);
    } finally {
      stayed = (await this.#thread.call('thaw')) === true;
    }
    if (!stayed) throw new Error('the database file was written to while it was copied');
  }
}

/**
 * Runs a step. In a process, because the database client is synchronous, and closing any descriptor
 * of the database file in this one would drop its lock. It gets only the environment that it needs to
 * run, never a setting of the service, which may be a secret. SQLite's temporary files contain
 * records, so they go where the backup is.
 */
async function inProcess(
  step: 'copy' | 'check',
  paths: readonly string[],
  limit: AbortSignal,
): Promise<StepOutcome> {
  const { PATH, LD_LIBRARY_PATH, TZ, SystemRoot } = process.env;
  const SQLITE_TMPDIR = dirname(paths.at(-1) ?? '');
  const child = fork(new URL('./backup-process.js', import.meta.url), [step, ...paths], {
    execArgv: [],
    stdio: 'ignore',
    env: { PATH, LD_LIBRARY_PATH, TZ, SystemRoot, SQLITE_TMPDIR },
  });
  const exit = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  try {
    // This event comes after the last message; `exit` may come before it.
    const lost = once(child, 'disconnect', { signal: limit });
    const told = await Promise.race([once(child, 'message', { signal: limit }), lost]);
    const outcome: StepOutcome = told[0] ?? { error: 'its process was killed' };
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome;
  } catch (error) {
    throw limit.aborted ? reasonOf(limit) : error;
  } finally {
    // Until it has ended (on a disk that hangs, perhaps never) it may write to the copy.
    child.kill('SIGKILL');
    await exit;
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  if (reason.name !== 'TimeoutError') return reason;
  return new Error(`it took more than ${BACKUP_MAX_MS / 60_000} minutes; check its disk`);
}
