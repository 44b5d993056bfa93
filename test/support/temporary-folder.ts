// A folder for one test's files. The test removes it at its end.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER_PREFIX } from './left-folders.js';

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** The folder's name has this process's id: if the process is killed, a later run removes the folder. */
export async function openTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
