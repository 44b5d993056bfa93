// Backups. The database file is frozen while a separate process copies it; another one checks the
// copy, which gets its name only then.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import { fileErrorText, isThere, removeDatabase } from './file-copy.js';

/** Until the copy is made, the log beside the database grows with every commit. */
const BACKUP_MAX_MS = 30 * 60_000;
const COUNT_MAX_MS = 120_000;
/** How long closing waits for a backup to end: on a disk that hangs its process may not. */
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

/** The message of a step's process: a check has `contents`, a count `records`. */
export interface StepOutcome {
  readonly error?: string;
  readonly contents?: DatabaseContents;
  readonly records?: number;
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
   * Copies the database as it is now to `path`: every commit that is done, and none in part.
   * Commits continue. On failure it rejects with one sentence and leaves no file at `path`.
   */
  take(path: string): Promise<Backup> {
    const taken = this.#last
      .then(() => this.#take(path))
      .catch((error: unknown) => {
        const reason = fileErrorText(error);
        throw new Error(`the backup ${path} cannot be taken: ${reason}`, { cause: error });
      });
    this.#last = taken.catch(() => {});
    return taken;
  }

  /** Aborts the backup that is under way. Resolves soon. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the database is being closed'));
    const late = new Promise((resolve) => void setTimeout(resolve, CLOSE_MAX_MS).unref());
    await Promise.race([this.#last, late]);
  }

  async #take(path: string): Promise<Backup> {
    if (await isThere(path)) throw new Error('a file of that name is there; take another name');
    const limit = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(BACKUP_MAX_MS)]);
    limit.throwIfAborted();
    const copy = `${path}.part`;
    try {
      await this.#copy(copy, limit);
      const { contents } = await inProcess('check', [copy], limit);
      if (contents === undefined) throw new Error('its check has no outcome');
      const { size: bytes } = await stat(copy);
      await rename(copy, path);
      await syncFolder(dirname(path));
      return { ...contents, bytes };
    } finally {
      // After a success these are the files that SQLite may have left beside the copy.
      await removeDatabase(copy).catch(() => {});
    }
  }

  /** Commits stay in the log during the copy, so it is of one moment. */
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

/** How many records a backup holds; undefined if it isn't a database of this program, or does not answer in time. */
export async function recordsIn(path: string): Promise<number | undefined> {
  const outcome = inProcess('count', [path], AbortSignal.timeout(COUNT_MAX_MS));
  return (await outcome.catch(() => undefined))?.records;
}

/**
 * Runs a step. In a process, because the database client is synchronous, and closing any descriptor
 * of the database file in this one would drop the lock on it. It gets what it needs of the
 * environment to run, never a setting of the service, which may be a secret. SQLite's temporary
 * files hold records: they belong where the backup is.
 */
async function inProcess(
  step: 'copy' | 'check' | 'count',
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
    const outcome: StepOutcome = told[0] ?? { error: 'its process ended before it was done' };
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome;
  } catch (error) {
    throw limit.aborted ? reasonOf(limit) : error;
  } finally {
    // Until it has ended, on a disk that hangs perhaps never, it may write to the copy.
    child.kill('SIGKILL');
    await exit;
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  if (reason.name !== 'TimeoutError') return reason;
  return new Error(`it was not done after ${BACKUP_MAX_MS / 60_000} minutes; look at its disk`);
}
