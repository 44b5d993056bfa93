// Backs up the open file by `VACUUM INTO` in a separate process, because SQLite's calls are synchronous and
// would delay commits.

import { execFile } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { explained } from './connection-errors.js';
import { removeDatabase } from './durable-files.js';
import type { DatabaseContents } from './file-schema.js';
import type { ThreadCall } from './file-storage.js';

export type Backup = DatabaseContents & { readonly bytes: number };

/** A limit, because during a backup the log grows with every commit. */
const COPY_MAX_MS = 30 * 60_000;

/** See `FileStorage.backup`. One at a time. `signal` kills its process. */
export async function takeBackup(
  call: ThreadCall,
  database: string,
  path: string,
  signal: AbortSignal,
): Promise<Backup> {
  // Always the same name, so that the next backup replaces what a killed process left.
  const part = join(dirname(path), `${basename(database)}.part`);
  const script = fileURLToPath(new URL('./backup-process.js', import.meta.url));
  // Only what the process needs, and no setting of the service, which may be a secret.
  const { PATH, LD_LIBRARY_PATH, TZ, SystemRoot } = process.env;
  // SQLite's temporary files contain records, so they go where the backup is.
  const env = { PATH, LD_LIBRARY_PATH, TZ, SystemRoot, SQLITE_TMPDIR: dirname(path) };
  const options = { env, signal, timeout: COPY_MAX_MS, killSignal: 'SIGKILL' } as const;
  try {
    const args = [script, await call('pauseCheckpoints'), part, path, `${process.pid}`];
    const copying = promisify(execFile)(process.execPath, args, options);
    const { stdout } = await copying.finally(() => call('resumeCheckpoints'));
    return JSON.parse(stdout);
  } catch (error) {
    await removeDatabase(part).catch(() => {});
    const { stderr = error } = error as { readonly stderr?: unknown };
    const reason = explained(stderr || 'its process was killed, or took too long; check its disk');
    throw new Error(`could not take the backup ${path}: ${reason}`, { cause: error });
  }
}
