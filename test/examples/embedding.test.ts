// The embedding page's example, as a stranger would use it: in a folder of its
// own that has the package installed, with the built files, without a port.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { pageCode, ROOT } from '../support/pages.js';
import { openProject } from '../support/project.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const { exports: exported } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const EXAMPLE = pageCode('src/embedding.md', '## The handler');

/** What the package has beside its exports. */
const PACKED = ['openapi.json', 'client-shared.js', 'THIRD-PARTY-NOTICES.txt'];

it('The embedding page’s example runs the whole service over a libSQL file, in about a dozen lines', async () => {
  const consumer = await openProject({ 'embed.js': EXAMPLE });
  onTestFinished(() => consumer.remove());
  const lines = EXAMPLE.split('\n').filter((line) => line.trim() !== '');
  expect(lines.length).toBeLessThanOrEqual(15);
  const { stdout } = await run(process.execPath, ['embed.js'], { cwd: consumer.path });
  expect(stdout).toMatch(/^200 \{/);
  expect(stdout).toContain("status: 'ok'");
});

it('The examples of embedding and of the client type-check where only the packed files are installed', async () => {
  const stranger = await openTemporaryFolder();
  onTestFinished(() => stranger.remove());
  const at = (...names: string[]) => join(stranger.path, ...names);
  const installed = at('node_modules/service-management-api');
  await cp(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const types of ['@types', 'undici-types']) {
    await symlink(join(ROOT, 'node_modules', types), at('node_modules', types));
  }
  await writeFile(at('package.json'), '{ "type": "module" }');
  await writeFile(at('embed.ts'), EXAMPLE);
  const client = pageCode('src/clients/client/README.md', '## The typed client');
  await writeFile(at('client.ts'), client);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  for (const resolution of ['NodeNext', 'Bundler']) {
    const module = resolution === 'Bundler' ? 'ESNext' : resolution;
    const options = `--noEmit --strict --target ES2023 --types node --module ${module} --moduleResolution ${resolution}`;
    const args = [tsc, ...options.split(' '), 'embed.ts', 'client.ts'];
    const compiled = run(process.execPath, args, { cwd: stranger.path });
    expect(await compiled.catch(({ stdout }) => stdout)).toMatchObject({ stdout: '' });
  }
});

it('The core bundle imports no module, neither of Node nor of a package', async () => {
  const bundle = await readFile(join(ROOT, 'dist/handler.js'), 'utf8');
  expect(bundle).not.toMatch(/^import\b|node:/m);
});

it('The package has every public file and the notices, and no file of the preview', async () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const [{ files }] = JSON.parse(stdout);
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  const named = Object.values<{ default?: string }>(exported).flatMap((one) => one.default ?? []);
  const wanted = [...named.map((path) => path.slice(2)), ...PACKED.map((name) => `dist/${name}`)];
  expect(paths).toEqual(expect.arrayContaining(wanted));
  // The first is the stamp of the build.
  expect(paths.filter((path) => /^dist\/\.|preview|reference|swagger/.test(path))).toEqual([]);
});
