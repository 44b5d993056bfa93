// The recipe for CSV, with the commands of the installed package.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { MODULES, openRecipe } from './project.js';

it('A spreadsheet goes in and comes out', async () => {
  const folder = await openTemporaryFolder();
  const preview = spawnPreview(folder.path);
  const text = await printed(preview);
  const api = /runs at (\S+)/.exec(text)?.[1] ?? '';
  const key = /Admin key {2}(\S+)/.exec(text)?.[1] ?? '';
  const project = await openRecipe('csv', {
    'customers.csv': 'name,phone,likes\nNeema Mushi,0713445210,braids\n',
  });
  try {
    const commands = pageCode('src/clients/client/RECIPES.md', '## CSV in and out', 'sh')
      .replace(/http:\S+/, api)
      .replace(/"the operator.*"/, `'${key}'`)
      .replaceAll('node_modules/', MODULES);
    // As in a terminal: below npm the commands would take npm's folder for theirs.
    const { INIT_CWD: _, ...env } = process.env;
    await promisify(execFile)('sh', ['-e', '-c', commands], { cwd: project.path, env });
    expect(await readdir(join(project.path, 'amina'))).toContain('customers.csv');
    const out = await readFile(join(project.path, 'amina/customers.csv'), 'utf8');
    expect(out).toMatch(
      /^id,owner_sub,name,phone,likes\r?\nCUS-\d+,local-amina,Neema Mushi,0713445210,braids\r?\n$/,
    );
  } finally {
    await interrupted(preview);
    await project.remove();
    await folder.remove();
  }
});
