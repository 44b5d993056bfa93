// A folder in which a reader's code runs, with the built package installed.

import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from './pages.js';
import { openFolder, type TestFolder } from './test-folder.js';

/** Makes a reader's project. It has the package installed, and those of our packages that it names. */
export async function openProject(
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): Promise<TestFolder> {
  const folder = await openFolder();
  for (const name of ['service-management-api', ...packages]) {
    const homes = [join('node_modules', name), join('test/node_modules', name)];
    const home =
      name === 'service-management-api' ? '' : homes.find((path) => existsSync(join(ROOT, path)));
    if (home === undefined) throw new Error(`no package ${name} is installed here`);
    const link = folder.at(`node_modules/${name}`);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, home), link);
  }
  const all = { 'package.json': '{ "type": "module" }', ...files };
  for (const [name, text] of Object.entries(all)) await writeFile(folder.at(name), text);
  return folder;
}
