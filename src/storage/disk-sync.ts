// Bytes and names that a power cut must not take. Each as a promise, and at once for a caller
// that holds the database and must not wait.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Windows syncs only a file that is open for writing. */
const FOR_WRITING = 'r+';

/** Resolves when the file is on disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, FOR_WRITING);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function syncFileNow(path: string): void {
  syncNow(path, FOR_WRITING);
}

/** Resolves when the names in the folder are on disk, if the file system can sync a folder. */
export async function syncFolder(folder: string): Promise<void> {
  // Some file systems, and Windows, refuse to sync a folder; SQLite ignores that, too.
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {}
}

export function syncFolderNow(folder: string): void {
  try {
    syncNow(folder, 'r');
  } catch {}
}

function syncNow(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
