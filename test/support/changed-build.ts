// The built server, but for one of its files: that one begins with code of the
// test's own, for faults that cannot be had from outside.

import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies dist/ into the folder and puts code before a file of it; resolves with the path of its server. */
export async function changedBuild(folder: string, file: string, code: string): Promise<string> {
  const dist = join(folder, 'dist');
  await cp(join(ROOT, 'dist'), dist, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = join(dist, file);
  await writeFile(path, `${code}\n${await readFile(path, 'utf8')}`);
  return join(dist, 'server.js');
}
