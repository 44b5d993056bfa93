// Which packages a command installs: found in the lock file, asked of no registry.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingGroups, packagesOfGroup } from '../../scripts/packages.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOCKED = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;

describe('Packages of a group', () => {
  it('are the named packages and their dependencies, looked up from the group’s folder upwards', () => {
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
    expect([...packagesOfGroup(locked, '')]).toEqual([
      'node_modules/server',
      'node_modules/codec',
      'node_modules/builder',
    ]);
    expect([...packagesOfGroup(locked, 'test')]).toEqual([
      'node_modules/runner',
      'node_modules/runner/node_modules/codec',
    ]);
  });

  it('for running and building contain no test, lint, Workers or browser tool', () => {
    const own = [...packagesOfGroup(LOCKED, '')].join('\n');
    expect(own).toContain('node_modules/@libsql/client');
    expect(own).toContain('node_modules/esbuild');
    expect(own).not.toMatch(/vitest|biome|redocly|miniflare|workerd|playwright|stryker/);
  });
});

describe('A group is missing', () => {
  let folder: TemporaryFolder;
  const lock = {
    '': { devDependencies: { builder: '1' } },
    test: { devDependencies: { runner: '1' } },
    'node_modules/builder': { version: '1.0.0' },
    'node_modules/runner': { version: '1.0.0' },
  };

  beforeEach(async () => {
    folder = await openTemporaryFolder();
    write('package-lock.json', { packages: lock });
  });
  afterEach(() => folder.remove());

  it('where nothing is installed', () => {
    expect(missingGroups(folder.path, ['test'])).toEqual(['', 'test']);
  });

  it('only where one of its packages is absent', () => {
    install({ 'node_modules/builder': '1.0.0' });
    expect(missingGroups(folder.path, ['test'])).toEqual(['test']);
    expect(missingGroups(folder.path, [])).toEqual([]);
  });

  it('where the lock file wants another version', () => {
    install({ 'node_modules/builder': '0.9.0', 'node_modules/runner': '1.0.0' });
    expect(missingGroups(folder.path, ['test'])).toEqual(['']);
  });

  function install(versions: Readonly<Record<string, string>>): void {
    const packages = Object.entries(versions).map(([path, version]) => [path, { version }]);
    for (const path of Object.keys(versions)) write(`${path}/package.json`, {});
    write('node_modules/.package-lock.json', { packages: Object.fromEntries(packages) });
  }

  function write(path: string, content: object): void {
    const whole = join(folder.path, path);
    mkdirSync(join(whole, '..'), { recursive: true });
    writeFileSync(whole, JSON.stringify(content));
  }
});
