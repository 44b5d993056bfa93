// Backups. The database file is frozen; a separate process copies it and checks
// the copy; the copy gets its name only after every check.

import { type ChildProcess, fork } from 'node:child_process';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import type { BackupProgress } from './backup-process.js';
import type { DatabaseContents } from './database-contents.js';
import { fileErrorText, isThere, removeDatabase } from './file-copy.js';

/** Time for the copy. Until it is made, the log beside the database grows with every commit. */
const BACKUP_MAX_MS = 30 * 60_000;
const COUNT_MAX_MS = 120_000;
/** Wait for a killed process to end: on a disk that hangs it may not. On a busy machine its low priority delays it. */
const END_MAX_MS = 3_000;
/** How long closing waits for a backup to end. */
const CLOSE_MAX_MS = 2_000;

/** The ending of a backup's name until it is finished. */
const UNFINISHED = '.part';

export interface Backup extends DatabaseContents {
  readonly bytes: number;
}

/** The operations of the storage thread, which holds the database file. */
export interface HeldFile {
  readonly path: string;
  /** Writes every commit so far into the file; later ones stay in the log until `thaw`. Resolves with the file's number of records. */
  freeze(): Promise<number>;
  /** Resolves with true if the file did not change since `freeze`. */
  thaw(): Promise<boolean>;
}

/** Takes the backups of one file, one at a time. */
export class Backups {
  readonly #file: HeldFile;
  readonly #closing = new AbortController();
  #underWay: Promise<Backup> | undefined;
  #child: ChildProcess | undefined;

  constructor(file: HeldFile) {
    this.#file = file;
  }

  /**
   * Copies the database as it is now to `path`: every commit that is done, and none in part.
   * Commits go on. On failure it rejects with one sentence and leaves no file at `path`.
   */
  async take(path: string): Promise<Backup> {
    try {
      if (this.#underWay !== undefined) throw new Error('another backup is under way');
      this.#underWay = this.#take(path);
      return await this.#underWay.finally(() => {
        this.#underWay = undefined;
      });
    } catch (error) {
      const reason = fileErrorText(error);
      throw new Error(`the backup ${path} cannot be taken: ${reason}`, { cause: error });
    }
  }

  /** Breaks off the backup that is under way. Resolves soon. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the database is being closed'));
    if (this.#underWay === undefined) return;
    await Promise.race([this.#underWay.catch(() => {}), after(CLOSE_MAX_MS)]);
  }

  async #take(path: string): Promise<Backup> {
    const unfinished = path + UNFINISHED;
    if (await isThere(path)) throw new Error('a file of that name is there; take another name');
    if (this.#child !== undefined && !hasEnded(this.#child)) {
      throw new Error('the process of an earlier one hangs and cannot be ended; look at its disk');
    }
    try {
      const contents = await this.#copy(unfinished);
      const { size: bytes } = await stat(unfinished);
      await rename(unfinished, path);
      await syncFolder(dirname(path));
      return { ...contents, bytes };
    } finally {
      const isGone = this.#child === undefined || (await end(this.#child));
      // After a success these are the files that SQLite may have left beside the copy.
      if (isGone) await removeDatabase(unfinished).catch(() => {});
    }
  }

  async #copy(target: string): Promise<DatabaseContents> {
    const limit = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(BACKUP_MAX_MS)]);
    limit.throwIfAborted();
    const records = await this.#file.freeze();
    let stayed: boolean;
    let checked: Promise<DatabaseContents>;
    try {
      this.#child = startProcess(target, [this.#file.path, target]);
      checked = replyOf(this.#child, limit, ({ contents }) => contents);
      await replyOf(this.#child, limit, ({ copied }) => copied);
    } finally {
      stayed = await this.#file.thaw();
    }
    if (!stayed) throw new Error('the database file was written to while it was copied');
    const contents = await checked;
    if (contents.recordCount === records) return contents;
    throw new Error(`it has ${contents.recordCount} records where the database has ${records}`);
  }
}

/**
 * How many records a backup holds; undefined if it is no whole database of this program, or does
 * not answer in time. In a process, because the database client is synchronous.
 */
export async function recordsIn(path: string): Promise<number | undefined> {
  const child = startProcess(path, [path]);
  const limit = AbortSignal.timeout(COUNT_MAX_MS);
  const records = await replyOf(child, limit, (told) => told.records).catch(() => undefined);
  await end(child);
  return records;
}

/**
 * A process, not a thread: closing any descriptor of the database file would drop this process's
 * lock on it. It gets what it needs of the environment to run, never a setting of the service,
 * which may be a secret. SQLite's temporary files hold records: they belong where the backup is.
 */
function startProcess(backup: string, args: readonly string[]): ChildProcess {
  const names = ['PATH', 'LD_LIBRARY_PATH', 'TZ', 'SystemRoot'];
  const known = names.flatMap((name) => {
    const text = process.env[name];
    return text === undefined ? [] : [[name, text]];
  });
  return fork(new URL('./backup-process.js', import.meta.url), args, {
    execArgv: [],
    stdio: 'ignore',
    env: { ...Object.fromEntries(known), SQLITE_TMPDIR: dirname(backup) },
  });
}

/** Resolves with the part of the first message in which `wanted` finds one. */
function replyOf<T>(
  child: ChildProcess,
  limit: AbortSignal,
  wanted: (progress: BackupProgress) => T | undefined,
): Promise<T> {
  const reply = new Promise<T>((resolve, reject) => {
    child.on('message', (progress: BackupProgress) => {
      const found = wanted(progress);
      if (found !== undefined) resolve(found);
      else if (progress.error !== undefined) reject(new Error(progress.error));
    });
    child.once('error', reject);
    // This event comes after the last message; `exit` may come before it.
    child.once('disconnect', () => reject(new Error('its process ended before it was done')));
    limit.addEventListener('abort', () => reject(brokenOff(limit.reason)), { once: true });
  });
  // The caller may have failed earlier and wait for nothing: then this is no unhandled rejection.
  reply.catch(() => {});
  return reply;
}

function brokenOff(reason: Error): Error {
  if (reason.name !== 'TimeoutError') return reason;
  return new Error(`it was not done after ${BACKUP_MAX_MS / 60_000} minutes; look at its disk`);
}

/** Resolves with true if the process has ended. */
async function end(child: ChildProcess): Promise<boolean> {
  if (hasEnded(child)) return true;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await Promise.race([ended, after(END_MAX_MS)]);
  return hasEnded(child);
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
