// The README's embedding example, as a stranger would use it: in a folder of its
// own that has the package installed, with the built files, without a port.

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('The README’s embedding example', () => {
  let consumer: TemporaryFolder;

  beforeAll(async () => {
    consumer = await openTemporaryFolder();
    const modules = join(consumer.path, 'node_modules');
    await mkdir(modules);
    await symlink(ROOT, join(modules, 'service-management-api'));
    await writeFile(join(consumer.path, 'package.json'), '{ "type": "module" }');
    await writeFile(join(consumer.path, 'embed.js'), await exampleOf('## Embed it'));
  });

  afterAll(() => consumer.remove());

  it('has about a dozen lines', async () => {
    const lines = (await exampleOf('## Embed it')).split('\n').filter((line) => line.trim() !== '');
    expect(lines.length).toBeLessThanOrEqual(15);
  });

  it('runs the whole service over a libSQL file', async () => {
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
        await writeFile(join(stranger.path, 'embed.ts'), await exampleOf('## Embed it'));
        const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
        const options = `--noEmit --strict --target ES2023 --types node --module ${module} --moduleResolution ${resolution}`;
        await run(process.execPath, [tsc, ...options.split(' '), 'embed.ts'], {
          cwd: stranger.path,
        });
      } finally {
        await stranger.remove();
      }
    },
  );
});

describe('The core bundle', () => {
  it('imports nothing, of Node least of all', async () => {
    const bundle = await readFile(join(ROOT, 'dist/handler.js'), 'utf8');
    expect(bundle).not.toMatch(/^import\b/m);
    expect(bundle).not.toContain('node:');
  });

  it('is what the hosts run', async () => {
    const server = await readFile(join(ROOT, 'dist/server.js'), 'utf8');
    expect(server).toMatch(/from ["']\.\/handler\.js["']/);
    expect(server).not.toContain('local-identity');
  });
});

/** The first code block after a heading. */
async function exampleOf(heading: string): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, after = ''] = readme.split(`\n${heading}\n`);
  const block = /```js\n([\s\S]*?)```/.exec(after)?.[1];
  if (block === undefined) throw new Error(`the README has no example under "${heading}"`);
  return block;
}
