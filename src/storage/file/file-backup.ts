// A backup of the open file: `VACUUM INTO` in a process of its own, checked there. The copy gets its
// name only if it is whole.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { syncFolder } from '../disk-sync.js';
import { type Backup, type DatabaseContents, fileErrorText, removeDatabase } from './file-copy.js';
import type { LibsqlThread } from './libsql-thread.js';

/** Meanwhile the log beside the database grows with every commit. */
const COPY_MAX_MS = 30 * 60_000;

/** The backups of one file, one at a time. `thread` holds the file. */
export class FileBackups {
  readonly #thread: Pick<LibsqlThread, 'call'>;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(thread: Pick<LibsqlThread, 'call'>) {
    this.#thread = thread;
  }

  /** See `FileStorage.backup`. */
  take(path: string): Promise<Backup> {
    const taken = this.#last.then(() => this.#take(path));
    this.#last = taken.catch(() => {});
    return taken;
  }

  /** Kills the process of the backup in progress, which then rejects. */
  close(): void {
    this.#closing.abort();
  }

  async #take(path: string): Promise<Backup> {
    const copy = `${path}.part`;
    try {
      if (existsSync(path)) throw new Error('a file of that name exists; choose another name');
      const contents = await this.#copy(copy);
      const { size: bytes } = await stat(copy);
      await rename(copy, path);
      await syncFolder(dirname(path));
      return { ...contents, bytes };
    } catch (error) {
      await removeDatabase(copy).catch(() => {});
      const reason = this.#closing.signal.aborted ? 'the database is closed' : fileErrorText(error);
      throw new Error(`the backup ${path} cannot be taken: ${reason}`, { cause: error });
    }
  }

  async #copy(copy: string): Promise<DatabaseContents> {
    try {
      const source = await this.#thread.call('pauseCheckpoints');
      return await copyInProcess(source, copy, this.#closing.signal);
    } finally {
      if (!this.#closing.signal.aborted) await this.#thread.call('resumeCheckpoints');
    }
  }
}

/**
 * In a process, because SQLite's calls are synchronous and a commit would wait for them. It gets only
 * the environment that it needs to run, never a setting of the service, which may be a secret. SQLite's
 * temporary files contain records, so they go where the backup is.
 */
function copyInProcess(source: string, copy: string, signal: AbortSignal) {
  const { PATH, LD_LIBRARY_PATH, TZ, SystemRoot } = process.env;
  const env = { PATH, LD_LIBRARY_PATH, TZ, SystemRoot, SQLITE_TMPDIR: dirname(copy) };
  const options = { env, signal, timeout: COPY_MAX_MS, killSignal: 'SIGKILL' } as const;
  const script = fileURLToPath(new URL('./backup-process.js', import.meta.url));
  return new Promise<DatabaseContents>((resolve, reject) => {
    execFile(process.execPath, [script, source, copy], options, (error, stdout, stderr) => {
      if (error === null) return resolve(JSON.parse(stdout));
      reject(new Error(stderr || 'its process was killed, or took too long; check its disk'));
    });
  });
}
