// The built programs where the database library cannot be loaded: its packages are missing,
// or were copied from another system.

import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const SENTENCE =
  /service\.db cannot be used: the database library, libsql, cannot be loaded here \(Cannot find module 'libsql'\); run npm ci on this machine"/;

it('Without the database library, a start and a check say so in one sentence, and what needs no file works', async () => {
  const folder = await openTemporaryFolder();
  onTestFinished(() => folder.remove());
  await cp(join(ROOT, 'dist'), join(folder.path, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder.path, 'package.json'));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8', env: {} });
  for (const command of [['dist/server.js'], ['dist/manage.js', 'check']]) {
    const { status, stdout, stderr } = run(...command);
    expect(stdout + stderr).toMatch(SENTENCE);
    expect(status).toBe(1);
  }
  expect(run('dist/manage.js', '--help').status).toBe(0);
});
