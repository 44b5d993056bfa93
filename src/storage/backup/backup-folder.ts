// The folder that an operator names for backups: what is wrong with it.

import { access, constants, readdir } from 'node:fs/promises';

/** Rejects with one sentence where no backup can be put into the folder. */
export async function expectBackupFolder(folder: string): Promise<void> {
  try {
    await readdir(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `the folder of the backups ${folder} cannot be used: ${folderErrorText(error)}`,
      { cause: error },
    );
  }
}

export function folderErrorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'it is not there; make it, or mount its disk';
  if (code === 'ENOTDIR') return 'it is a file; name a folder';
  if (code === 'EACCES') return 'it cannot be read or written; check its owner and permissions';
  if (code === 'EROFS') return 'its disk can only be read; mount it for writing';
  return error instanceof Error ? error.message : String(error);
}
