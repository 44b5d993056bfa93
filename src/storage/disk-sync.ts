// Bytes and names that a power cut must not take.

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

/** At once, for a caller that holds the database and must not wait. */
export function syncFolderNow(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {}
}
