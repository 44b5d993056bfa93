// A backup of the open file: `VACUUM INTO` in a process of its own, checked there. The copy gets its
// name only if it is whole.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { syncFolder } from '../disk-sync.js';
import { explained } from './connection-errors.js';
import { removeDatabase } from './file-copy.js';
import type { DatabaseContents } from './file-schema.js';
import type { Call } from './file-storage.js';

export type Backup = DatabaseContents & { readonly bytes: number };

/** Meanwhile the log beside the database grows with every commit. */
const COPY_MAX_MS = 30 * 60_000;

/** See `FileStorage.backup`; one at a time. `signal`: kills its process. */
export async function takeBackup(
  call: Call,
  database: string,
  path: string,
  signal: AbortSignal,
): Promise<Backup> {
  // One name, so that what a killed process left is replaced.
  const copy = join(dirname(path), `${basename(database)}.part`);
  try {
    await removeDatabase(copy);
    if (existsSync(path)) throw new Error('a file of that name exists; choose another name');
    const copying = copyInProcess(await call('pauseCheckpoints'), copy, signal);
    const contents = await copying.finally(() => call('resumeCheckpoints'));
    const { size: bytes } = await stat(copy);
    await rename(copy, path);
    await syncFolder(dirname(path));
    return { ...contents, bytes };
  } catch (error) {
    await removeDatabase(copy).catch(() => {});
    throw new Error(`the backup ${path} cannot be taken: ${explained(error)}`, { cause: error });
  }
}

/**
 * In a process, because SQLite's calls are synchronous and a commit would wait for them. It gets only
 * the environment that it needs to run, never a setting of the service, which may be a secret. SQLite's
 * temporary files contain records, so they go where the backup is.
 */
async function copyInProcess(source: string, copy: string, signal: AbortSignal) {
  const { PATH, LD_LIBRARY_PATH, TZ, SystemRoot } = process.env;
  const env = { PATH, LD_LIBRARY_PATH, TZ, SystemRoot, SQLITE_TMPDIR: dirname(copy) };
  const options = { env, signal, timeout: COPY_MAX_MS, killSignal: 'SIGKILL' } as const;
  const script = fileURLToPath(new URL('./backup-process.js', import.meta.url));
  const copying = promisify(execFile)(process.execPath, [script, source, copy], options);
  const { stdout } = await copying.catch(({ stderr }) => {
    throw new Error(stderr || 'its process was killed, or took too long; check its disk');
  });
  return JSON.parse(stdout) as DatabaseContents;
}
