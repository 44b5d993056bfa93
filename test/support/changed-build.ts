// The built server with one changed file, which begins with code of the test. It is for
// faults that nothing outside the process can cause.

import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Types and source maps are most of the bytes of dist/, and no process reads them. */
const isRun = (path: string) => !/\.map$|\/types$/.test(path);

/** Copies dist/ into the folder and puts code before one of its files. Resolves with the path of the server. */
export async function changedBuild(folder: string, file: string, code: string): Promise<string> {
  const dist = join(folder, 'dist');
  await cp(join(ROOT, 'dist'), dist, { recursive: true, filter: isRun });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = join(dist, file);
  await writeFile(path, `${code}\n${await readFile(path, 'utf8')}`);
  return join(dist, 'server.js');
}
