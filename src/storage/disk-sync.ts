// Bytes and names that a power cut must not take.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Resolves when the file is on disk. Windows syncs only a file that is open for writing. */
export async function syncFile(path: string, flags = 'r+'): Promise<void> {
  const handle = await open(path, flags);
  await handle.sync().finally(() => handle.close());
}

/** Resolves when the names in the folder are on disk. Some file systems, and Windows, refuse to sync a folder; SQLite ignores that, too. */
export async function syncFolder(folder: string): Promise<void> {
  await syncFile(folder, 'r').catch(() => {});
}

/** For a caller that holds the database and must not wait. */
export function syncFolderNow(folder: string): void {
  try {
    const file = openSync(folder, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {}
}
