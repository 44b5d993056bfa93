// The built programs where the database library cannot be loaded: its packages are missing,
// or were copied from another system.

import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/pages.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SENTENCE =
  /service\.db cannot be used: the database library, libsql, cannot be loaded here \(Cannot find module 'libsql'\); run npm ci on this machine"/;

describe('Without the database library', () => {
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

  it('a start says so in one sentence, and ends', () => {
    const { status, stdout, stderr } = run('dist/server.js');
    expect(stdout + stderr).toMatch(SENTENCE);
    expect(status).toBe(1);
  });

  it('a check finds it before the first start', () => {
    const { status, stdout, stderr } = run('dist/manage.js', 'check');
    expect(stdout + stderr).toMatch(SENTENCE);
    expect(status).toBe(1);
  });

  it('what needs no file works', () => {
    expect(run('dist/manage.js', '--help').status).toBe(0);
  });
});
