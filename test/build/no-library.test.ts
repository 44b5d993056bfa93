// The built programs where the database library cannot be loaded: its packages are missing,
// or were copied from another system.

import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../support/pages.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SENTENCE =
  /service\.db cannot be used: the database library, libsql, cannot be loaded here \(Cannot find module 'libsql'\); run npm ci on this machine"/;

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  const filter = (path: string) => !path.endsWith('.map');
  await cp(join(ROOT, 'dist'), join(folder.path, 'dist'), { recursive: true, filter });
  await cp(join(ROOT, 'package.json'), join(folder.path, 'package.json'));
});
afterAll(() => folder.remove());

const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8', env: {} });

it.each([
  ['a start', 'dist/server.js'],
  ['a check before it', 'dist/manage.js', 'check'],
])('Without the database library, %s says so in one sentence, and ends', (_, ...command) => {
  const { status, stdout, stderr } = run(...command);
  expect(stdout + stderr).toMatch(SENTENCE);
  expect(status).toBe(1);
});

it('Without the database library, what needs no file works', () => {
  expect(run('dist/manage.js', '--help').status).toBe(0);
});
