// How many records a backup holds, asked of the file itself in a process of its own: the
// client is synchronous, and the service has only one thread for requests.

import { fork } from 'node:child_process';
import { dirname } from 'node:path';
import type { BackupProgress } from './backup-process.js';
import { environmentIn } from './backups.js';

/** As the backup's process knows it. */
const COUNT_ONLY = '--count';
const COUNT_MAX_MS = 120_000;

/** Undefined where the file is no whole database of this program, or does not answer in time. */
export function recordsIn(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const child = fork(new URL('./backup-process.js', import.meta.url), [COUNT_ONLY, path], {
      execArgv: [],
      stdio: 'ignore',
      env: environmentIn(dirname(path)),
      timeout: COUNT_MAX_MS,
      killSignal: 'SIGKILL',
    });
    child.on('message', ({ records }: BackupProgress) => resolve(records));
    child.once('error', () => resolve(undefined));
    child.once('disconnect', () => resolve(undefined));
  });
}
