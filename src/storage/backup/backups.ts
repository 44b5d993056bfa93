// Backups. The database file is frozen while a child process copies it; another one checks the copy,
// which gets its name only if it is whole.

import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import type { LibsqlThread } from '../file/libsql-thread.js';
import { type Backup, type DatabaseContents, fileErrorText, removeDatabase } from './file-copy.js';

/** Of a step. During the copy, the log beside the database grows with every commit. */
const STEP_MAX_MS = 30 * 60_000;
/** How long closing waits for a backup to end: on a disk that hangs, its process may not. */
const CLOSE_MAX_MS = 2_000;

/** The one message of a step's process. Only a check has `contents`. */
export type StepOutcome = { readonly error?: string; readonly contents?: DatabaseContents };

/** The backups of one file, one at a time. `thread` holds the file. */
export function backupsOf(source: string, thread: Pick<LibsqlThread, 'call'>) {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  async function take(path: string): Promise<Backup> {
    const copy = `${path}.part`;
    try {
      closing.signal.throwIfAborted();
      if (existsSync(path)) throw new Error('a file of that name exists; choose another name');
      // Commits stay in the log during the copy, so the copy is one snapshot.
      await thread.call('freeze');
      const copied = inProcess('copy', [source, copy], closing.signal);
      await copied.catch(() => {});
      const isUnchanged = await thread.call('thaw');
      await copied;
      if (!isUnchanged) throw new Error('the database file was written to while it was copied');
      const { contents } = await inProcess('check', [copy], closing.signal);
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

  return {
    /**
     * Copies the database as it is now to `path`: every finished commit, and none in part. Commits
     * continue. On failure it rejects with one sentence and leaves no file at `path`.
     */
    take(path: string): Promise<Backup> {
      const taken = last.then(() => take(path));
      last = taken.catch(() => {});
      return taken;
    },
    /** Aborts the backup in progress. Resolves soon. */
    async close(): Promise<void> {
      closing.abort(new Error('the database is being closed'));
      const late = new Promise((resolve) => void setTimeout(resolve, CLOSE_MAX_MS).unref());
      await Promise.race([last, late]);
    },
  };
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
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { PATH, LD_LIBRARY_PATH, TZ, SystemRoot } = process.env;
  const SQLITE_TMPDIR = dirname(paths.at(-1) ?? '');
  const child = fork(new URL('./backup-process.js', import.meta.url), [step, ...paths], {
    execArgv: [],
    stdio: 'ignore',
    env: { PATH, LD_LIBRARY_PATH, TZ, SystemRoot, SQLITE_TMPDIR },
    signal,
    timeout: STEP_MAX_MS,
    killSignal: 'SIGKILL',
  });
  let outcome: StepOutcome = { error: 'its process was killed, or took too long; check its disk' };
  child.on('message', (sent: StepOutcome) => {
    outcome = sent;
  });
  // Until it has ended (on a disk that hangs, perhaps never) it may write to the copy.
  await new Promise((resolve) => {
    child.on('close', resolve).on('error', (error) => {
      outcome = { error: error.message };
      if (child.pid === undefined) resolve(error);
    });
  });
  signal.throwIfAborted();
  if (outcome.error !== undefined) throw new Error(outcome.error);
  return outcome;
}
