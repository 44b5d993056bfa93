// The place of the database file: its folder and the file itself, readable by the service's
// user alone.

import { access, constants, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk-sync.js';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** Rejects with one sentence where a missing folder cannot be made. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    // Until the parent folder is synced, a power cut may remove a new folder with everything in it.
    for (let made = folder; first && made.length >= first.length; made = dirname(made)) {
      await syncFolder(dirname(made));
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new Error(
      `its folder cannot be made (${code}); check that the path is a file in a writable folder`,
      { cause: error },
    );
  }
}

/**
 * Makes a missing file that only its owner may read, because it holds customers' data.
 * Call it before the database is opened: closing the file afterwards would drop the lock.
 */
export async function claimFile(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES') {
      throw new Error('this user may not read and write it; check its owner and permissions', {
        cause: error,
      });
    }
    if (code === 'ENOENT') await (await open(path, 'a', OWNER_ONLY_FILE)).close();
  }
}
