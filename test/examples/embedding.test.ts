// The embedding page's example, as a stranger would use it: in a folder of its
// own that has the package installed, with the built files, without a port.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageCode, ROOT } from '../support/pages.js';
import { openProject } from '../support/project.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const { exports: exported } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const EXAMPLE = pageCode('src/embedding.md', '## The handler');

/** What the package has beside its exports. */
const PACKED = ['openapi.json', 'client-shared.js', 'THIRD-PARTY-NOTICES.txt'];

describe('The embedding page’s example', () => {
  let consumer: TemporaryFolder;

  beforeAll(async () => {
    consumer = await openProject({ 'embed.js': EXAMPLE });
  });

  afterAll(() => consumer.remove());

  it('runs the whole service over a libSQL file, in about a dozen lines', async () => {
    const lines = EXAMPLE.split('\n').filter((line) => line.trim() !== '');
    expect(lines.length).toBeLessThanOrEqual(15);
    const { stdout } = await run(process.execPath, ['embed.js'], { cwd: consumer.path });
    expect(stdout).toMatch(/^200 \{/);
    expect(stdout).toContain("status: 'ok'");
  });

  it.each([
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ])(
    'type-checks where only the packed files are installed (%s, %s)',
    async (module, resolution) => {
      const stranger = await openTemporaryFolder();
      try {
        const modules = join(stranger.path, 'node_modules');
        const installed = join(modules, 'service-management-api');
        await cp(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
        await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
        for (const types of ['@types', 'undici-types']) {
          await symlink(join(ROOT, 'node_modules', types), join(modules, types));
        }
        await writeFile(join(stranger.path, 'package.json'), '{ "type": "module" }');
        await writeFile(join(stranger.path, 'embed.ts'), EXAMPLE);
        await writeFile(
          join(stranger.path, 'client.ts'),
          pageCode('src/clients/client/README.md', '## The typed client'),
        );
        const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
        const options = `--noEmit --strict --target ES2023 --types node --module ${module} --moduleResolution ${resolution}`;
        await run(process.execPath, [tsc, ...options.split(' '), 'embed.ts', 'client.ts'], {
          cwd: stranger.path,
        });
      } finally {
        await stranger.remove();
      }
    },
  );
});

describe('The core bundle', () => {
  it('imports no module, neither of Node nor of a package', async () => {
    const bundle = await readFile(join(ROOT, 'dist/handler.js'), 'utf8');
    expect(bundle).not.toMatch(/^import\b/m);
    expect(bundle).not.toContain('node:');
  });

  it('is packed with every public file and the notices, and with no file of the preview', async () => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await run('npm', pack, { cwd: ROOT });
    const [{ files }] = JSON.parse(stdout);
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    for (const { default: path } of Object.values<{ default?: string }>(exported)) {
      if (path !== undefined) expect(paths).toContain(path.slice(2));
    }
    for (const name of PACKED) expect(paths).toContain(`dist/${name}`);
    // The stamp of the build.
    expect(paths.filter((path) => path.startsWith('dist/.'))).toEqual([]);
    expect(paths.filter((path) => /preview|reference|swagger/.test(path))).toEqual([]);
  });
});
