// The client's own package, installed as a stranger would.

import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMES, packClient } from '../../scripts/pack-client.js';
import { anchorsOf, pageCode, ROOT, sectionOf, tableRows } from '../support/pages.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  const archive = await packClient(folder.path);
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', archive];
  await run('npm', install, { cwd: folder.path });
});
afterAll(() => folder.remove());

it('The client’s package has no dependency and the size that the page gives', () => {
  const modules = join(folder.path, 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual([
    'service-management-client',
  ]);
  const files = readdirSync(modules, { recursive: true, withFileTypes: true });
  const bytes = files
    .filter((entry) => entry.isFile() && entry.parentPath.includes('service-management-client'))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  const rows = tableRows(sectionOf('src/embedding.md', '## Install the package'));
  const row = rows.find(({ Installed }) => Installed === '`service-management-client`');
  expect(row?.['On disk']).toBe('below 0.2 MB');
  expect(bytes).toBeLessThan(200_000);
});

it('The client’s package runs and type-checks as the client of the service’s package does', async () => {
  const own = (text: string) =>
    NAMES.reduce((renamed, [name, packed]) => renamed.replaceAll(name, packed), text);
  const typed = own(pageCode('src/clients/client/README.md', '### Your own properties', 'ts'));
  const operator = own(
    "import { createOperatorClient } from 'service-management-api/operator-client';\nexport const { overview } = createOperatorClient({ baseUrl: '', adminKey: '' });\n",
  );
  await writeFile(join(folder.path, 'typed.ts'), typed);
  await writeFile(join(folder.path, 'operator.ts'), operator);
  const options = '--noEmit --strict --target ES2022 --lib ES2022,DOM --module NodeNext';
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, ...options.split(' '), 'typed.ts', 'operator.ts'], {
    cwd: folder.path,
  });
  const program =
    "import { createClient } from 'service-management-client'; import { createOperatorClient } from 'service-management-client/operator'; console.log(typeof createClient, typeof createOperatorClient)";
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder.path,
  });
  expect(stdout.trim()).toBe('function function');
});

it('The client’s package can be required, types included', async () => {
  const program = `import api = require('service-management-client');
import operator = require('service-management-client/operator');
const client: api.Client = api.createClient({ baseUrl: 'http://127.0.0.1/api/v1', token: '' });
client.health().catch((error: unknown) => {
  const isOne = error instanceof api.ApiError && error instanceof operator.ApiError;
  globalThis.console.log(isOne, typeof operator.createOperatorClient);
});
`;
  await writeFile(join(folder.path, 'required.cts'), program);
  const options = '--strict --target ES2022 --lib ES2022,DOM --module Node16';
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, ...options.split(' '), 'required.cts'], { cwd: folder.path });
  const { stdout } = await run(process.execPath, ['required.cjs'], { cwd: folder.path });
  expect(stdout.trim()).toBe('true function');
});

it('The client’s package has the pages that an app’s next programmer needs, and no link leads out of it', async () => {
  const packed = join(folder.path, 'node_modules/service-management-client');
  const pages = readdirSync(packed).filter((name) => name.endsWith('.md'));
  expect(pages).toEqual(['API.md', 'CHANGELOG.md', 'README.md', 'RECIPES.md']);
  for (const page of pages) {
    const text = await readFile(join(packed, page), 'utf8');
    for (const [name] of NAMES) expect(text, page).not.toContain(name);
    for (const [link, target = '', anchor] of text.matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)) {
      if (/^https?:/.test(target)) continue;
      const linked = target === '' ? text : await readFile(join(packed, target), 'utf8');
      if (anchor !== undefined) expect(anchorsOf(linked), `${page}: ${link}`).toContain(anchor);
    }
  }
});
