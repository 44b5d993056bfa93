// A folder in which a reader's code runs, with the built package installed. This file is
// not part of pages.ts, so that tests that only read pages need no build.

import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from './pages.js';
import { openTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

/** Makes a reader's project. It has the package installed, and those of our packages that it names. */
export async function openProject(
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): Promise<TemporaryFolder> {
  const folder = await openTemporaryFolder();
  const modules = join(folder.path, 'node_modules');
  await mkdir(modules);
  // The package's files are in 'dist'. Because this line names it, they are built before a test runs.
  await symlink(ROOT, join(modules, 'service-management-api'));
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    const home = ['node_modules', 'test/node_modules']
      .map((folder) => join(ROOT, folder, name))
      .find(existsSync);
    if (home === undefined) throw new Error(`no package ${name} is installed here`);
    await symlink(home, join(modules, name));
  }
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  return folder;
}
