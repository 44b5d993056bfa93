// The page on data in and out: its commands run as they stand, and print what it says.

import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DataService, openDataService } from '../support/data-service.js';

const PAGE = fileURLToPath(new URL('../../src/tools/data/README.md', import.meta.url));

let on: DataService;
let page: string;

beforeAll(async () => {
  on = await openDataService();
  page = await readFile(PAGE, 'utf8');
  await on.file('wateja.csv', block('csv', 'This is `wateja.csv`'));
  await mkdir(on.at('backups'));
});
afterAll(() => on.close());

/** The first block of a language after the words. */
function block(language: string, after: string): string {
  const start = page.indexOf(after);
  expect(start, after).toBeGreaterThan(-1);
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page.slice(start))?.[1];
  return found ?? '';
}

/** Runs the command of the page after the words, with npm's own part of it done here. */
async function run(after: string) {
  const line = block('sh', after).trim();
  const [name = '', rest = ''] = line.replace(/^npm run (\w+) -- /, '$1\n').split('\n');
  const args = [...rest.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
  const settings = { INIT_CWD: on.folder, BACKUP_DIR: on.at('backups') };
  const { code, stdout, stderr } = await on.run([name, ...args], settings);
  return { code, stderr, text: stdout.replaceAll(`${on.folder}/`, '') };
}

/** How long something took is another figure each time. */
function timeless(text: string): string {
  return text.replace(/[\d.]+ s \(\d+\/s\)/, '… s (…/s)');
}

it('The commands of the page, run in order, print what the page shows', async () => {
  const judged = await run('First a dry run.');
  expect(judged).toEqual({ code: 1, stderr: '', text: block('text', 'First a dry run.') });

  const imported = await run('Without `--skip-bad` nothing is written');
  expect(imported.code).toBe(1);
  expect(timeless(imported.text)).toContain(
    timeless(block('text', 'Without `--skip-bad` nothing is written')),
  );

  const exported = await run('## An account goes out');
  expect(exported).toMatchObject({ code: 0, text: block('text', '## An account goes out') });

  expect((await run('For Excel:')).code).toBe(0);
  const excel = await readFile(on.at('saluni-excel/customers.csv'), 'utf8');
  const shown = block('csv', 'For Excel:');
  const lines = (text: string) => text.replace('\ufeff', '').replaceAll('\r\n', '\n');
  // Two connections: either may come first.
  const sorted = (text: string) =>
    lines(text)
      .replace(/CUS-\d+/g, 'CUS')
      .split('\nCUS')
      .sort();
  expect(sorted(`${excel}\n`.replace(/\n\n$/, '\n'))).toEqual(sorted(shown));

  const erased = await run('## An account is erased');
  expect(erased).toMatchObject({ code: 0 });
  expect(erased.text).toContain('auth0|saluni is erased: 2 records deleted');
});
