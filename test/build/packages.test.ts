// Which packages a command installs, and what ships with them: found in the lock file and in dist/,
// asked of no registry.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { noticesOf } from '../../scripts/notices.js';
import { missingGroups, packagesOfGroup } from '../../scripts/packages.js';
import { ROOT, textOf } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

it('The packages of a group are the named packages and their dependencies, looked up from the group’s folder upwards', () => {
  const locked = {
    '': { dependencies: { server: '1' }, devDependencies: { builder: '1' } },
    test: { devDependencies: { runner: '1' } },
    'node_modules/server': { dependencies: { codec: '1' } },
    'node_modules/codec': {},
    'node_modules/builder': { dependencies: { 'builder-for-another-machine': '1' } },
    'node_modules/builder-for-another-machine': { optional: true },
    'node_modules/runner': { dependencies: { codec: '2', absent: '1' } },
    'node_modules/runner/node_modules/codec': {},
  };
  const inModules = (names: string[]) => names.map((name) => `node_modules/${name}`);
  expect([...packagesOfGroup(locked, '')]).toEqual(inModules(['server', 'codec', 'builder']));
  const runner = inModules(['runner', 'runner/node_modules/codec']);
  expect([...packagesOfGroup(locked, 'test')]).toEqual(runner);
});

it('The packages for running and building contain no test, lint, Workers or browser tool', () => {
  const { packages } = JSON.parse(textOf('package-lock.json'));
  const own = [...packagesOfGroup(packages, '')].join('\n');
  expect(own).toContain('node_modules/esbuild');
  expect(own).not.toMatch(/vitest|biome|redocly|miniflare|workerd|playwright|stryker/);
});

async function openFolder() {
  const folder = await openTemporaryFolder();
  onTestFinished(() => folder.remove());
  const write = (path: string, content: object) => {
    mkdirSync(join(folder.path, path, '..'), { recursive: true });
    writeFileSync(join(folder.path, path), JSON.stringify(content));
  };
  return { path: folder.path, write };
}

it('A group is missing where one of its packages is absent or has another version', async () => {
  const { path, write } = await openFolder();
  const version = '1.0.0';
  const locked = { 'node_modules/builder': { version }, 'node_modules/runner': { version } };
  const groups = [{ builder: '1' }, { runner: '1' }].map((devDependencies) => ({
    devDependencies,
  }));
  write('package-lock.json', { packages: { '': groups[0], test: groups[1], ...locked } });
  const install = (version: string) => {
    write('node_modules/builder/package.json', {});
    const packages = { 'node_modules/builder': { version } };
    write('node_modules/.package-lock.json', { packages });
  };
  expect(missingGroups(path, ['test'])).toEqual(['', 'test']);
  install(version);
  expect(missingGroups(path, ['test'])).toEqual(['test']);
  expect(missingGroups(path, [])).toEqual([]);
  install('0.9.0');
  expect(missingGroups(path, [])).toEqual(['']);
});

it('No notices are written where a bundled package has no licence file', async () => {
  const { path, write } = await openFolder();
  write('node_modules/bare/package.json', { version: '1.0.0' });
  const inputs = { 'node_modules/bare/a.js': { bytesInOutput: 1 } };
  const outputs = { 'dist/a.js': { bytes: 1, imports: [], exports: [], inputs } };
  const missing = 'node_modules/bare: no licence file';
  expect(() => noticesOf(path, [{ inputs: {}, outputs }])).toThrow(missing);
});

it('The third-party notices name every package that dist/ bundles, with its licence text', () => {
  const maps = readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.js.map'));
  const sources: string[] = maps.flatMap((name) => JSON.parse(textOf(`dist/${name}`)).sources);
  const bundled = /(node_modules\/.*)?node_modules\/(?:@[^/]+\/)?[^/]+/;
  const names = new Set(sources.flatMap((path) => bundled.exec(path)?.[0] ?? []));
  expect([...names]).toContain('node_modules/hono');
  const notices = textOf('dist/THIRD-PARTY-NOTICES.txt');
  for (const name of names) {
    expect(notices).toContain(`\n${name.replace(/.*node_modules\//, '')} `);
    const file = readdirSync(join(ROOT, name)).find((each) => /^licen[cs]e/i.test(each));
    expect(notices, name).toContain(textOf(join(name, file ?? 'LICENSE')).trim());
  }
});
