// The folder that an operator names for backups: what is in it, and what is wrong with it.

import { access, constants, readdir } from 'node:fs/promises';
import { codeOf } from './file-copy.js';

const ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there; make it, or mount its disk',
  ENOTDIR: 'it is a file; name a folder',
  EACCES: 'it cannot be read or written; check its owner and permissions',
  EROFS: 'its disk can only be read; mount it for writing',
};

/** The names in the folder. Rejects with one sentence if it cannot be read or, unless `toRead`, no backup can be put into it. */
export async function namesIn(folder: string, toRead = false): Promise<string[]> {
  try {
    const names = await readdir(folder);
    if (!toRead) await access(folder, constants.W_OK | constants.X_OK);
    return names;
  } catch (error) {
    const reason = ERRORS[String(codeOf(error))] ?? String(error);
    throw new Error(`the folder of the backups ${folder} cannot be used: ${reason}`);
  }
}
