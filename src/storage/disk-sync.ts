// Bytes and names that a power cut must not take. Each as a promise, and at once for a caller
// that holds the database and must not wait.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Windows syncs only a file that is open for writing. */
const FOR_WRITING = 'r+';

/** Resolves when the file is on disk. */
export async function syncFile(path: string, flags = FOR_WRITING): Promise<void> {
  const handle = await open(path, flags);
  await handle.sync().finally(() => handle.close());
}

/** Resolves when the names in the folder are on disk. Some file systems, and Windows, refuse to sync a folder; SQLite ignores that, too. */
export async function syncFolder(folder: string): Promise<void> {
  await syncFile(folder, 'r').catch(() => {});
}

export function syncFileNow(path: string, flags = FOR_WRITING): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function syncFolderNow(folder: string): void {
  try {
    syncFileNow(folder, 'r');
  } catch {}
}
