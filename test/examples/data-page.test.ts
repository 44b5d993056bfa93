// The data page: its commands run as written, and print what it shows.

import { mkdir, readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { dataService } from '../support/data-service.js';
import { pageCode } from '../support/pages.js';

const block = (language: string, words: string) =>
  pageCode('src/tools/data/README.md', words, language);

const service = dataService();

beforeAll(async () => {
  await service.file('wateja.csv', block('csv', 'This is `wateja.csv`'));
  await mkdir(service.at('backups'));
});

/** Runs the command of the page after the words, with npm's own part of it done here. */
async function run(after: string) {
  const line = block('sh', after).trim();
  const [name = '', rest = ''] = line.replace(/^npm run (\w+) -- /, '$1\n').split('\n');
  const args = [...rest.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
  const settings = { INIT_CWD: service.folder, BACKUP_DIR: service.at('backups') };
  const { code, stdout, stderr } = await service.run([name, ...args], settings);
  return { code, stderr, text: stdout.replaceAll(`${service.folder}/`, '') };
}

it('The commands of the page, run in order, print what the page shows', async () => {
  const result = await run('First a dry run.');
  expect(result).toEqual({ code: 1, stderr: '', text: block('text', 'First a dry run.') });

  const skipping = 'Without `--skip-bad` nothing is written';
  const imported = await run(skipping);
  expect(imported.code).toBe(1);
  expect(imported.text).toContain(block('text', skipping));

  const out = '## Export an account';
  expect(await run(out)).toMatchObject({ code: 0, text: block('text', out) });

  expect((await run('For Excel:')).code).toBe(0);
  const excel = await readFile(service.at('saluni-excel/customers.csv'), 'utf8');
  // Over two connections, either may arrive first.
  const sorted = (text: string) =>
    text
      .trim()
      .split(/\r?\nCUS-\d+/)
      .sort();
  expect(sorted(excel)).toEqual(sorted(block('csv', 'For Excel:')));

  const erased = await run('## Erase an account');
  expect(erased).toMatchObject({ code: 0 });
  expect(erased.text).toContain('auth0|saluni is erased: 2 records deleted');
});
