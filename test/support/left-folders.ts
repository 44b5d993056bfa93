// The temporary folders that killed test runs left. Vitest removes them before a run.

import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A process id and a dash follow it in the name of a folder. */
export const FOLDER_PREFIX = 'service-management-';
const FOLDER_NAME = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`);
/** Younger folders stay: another container may share this folder and have other process ids. */
const LEFT_AGE_MIN_MS = 3_600_000;

/** Vitest calls this before the run. */
export default async function removeLeftFolders(): Promise<void> {
  await removeFoldersOfDeadRuns(tmpdir(), Date.now());
}

/** Removes folders with our prefix whose process is gone. `now`: milliseconds since 1970. */
export async function removeFoldersOfDeadRuns(parent: string, now: number): Promise<void> {
  for (const name of await readdir(parent)) {
    const processId = FOLDER_NAME.exec(name)?.[1];
    if (processId === undefined || isRunning(Number(processId))) continue;
    const path = join(parent, name);
    // Another run may remove it at the same time.
    const changedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => now,
    );
    if (now - changedAt > LEFT_AGE_MIN_MS) await rm(path, { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: a process of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
