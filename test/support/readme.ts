// The README's code as a reader would copy it, and a folder to run it in.

import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The first block of code in a language after a line that contains the words. */
export function readmeCode(words: string, language = 'js'): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const line = readme.split('\n').find((candidate) => candidate.includes(words));
  const after = line === undefined ? '' : readme.slice(readme.indexOf(line));
  const code = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(after)?.[1];
  if (code === undefined) throw new Error(`the README has no ${language} after "${words}"`);
  return code;
}

/** A project of a reader's own that has the package installed, and those of our packages that it names. */
export async function openProject(
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): Promise<TemporaryFolder> {
  const folder = await openTemporaryFolder();
  const modules = join(folder.path, 'node_modules');
  await mkdir(modules);
  await symlink(ROOT, join(modules, 'service-management-api'));
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  return folder;
}
