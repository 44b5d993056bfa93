// The built server with one changed file, which begins with code of the test. It is for
// faults that nothing outside the process can cause.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyBuild } from './build-copy.js';

/** Copies dist/ into the folder and puts code before one of its files. Resolves with the path of the server. */
export async function changedBuild(folder: string, file: string, code: string): Promise<string> {
  const dist = copyBuild(folder);
  const path = join(dist, file);
  await writeFile(path, `${code}\n${await readFile(path, 'utf8')}`);
  return join(dist, 'server.js');
}
