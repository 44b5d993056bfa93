// The built files: the OpenAPI documents under another project's linter, and the programs where the
// database library's packages are missing or were copied from another system.

import { execFile, spawnSync } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT, textOf } from '../support/pages.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();

it('dist/openapi.json and dist/openapi-3.0.json pass the rules of Redocly', async () => {
  const linter = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
  const documents = ['dist/openapi.json', 'dist/openapi-3.0.json'];
  const silent = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = { cwd: ROOT, env: { ...process.env, ...silent } };
  const args = [linter, 'lint', '--config', '.redocly.yaml', ...documents];
  await promisify(execFile)('node', args, options);
});

const SENTENCE =
  /service\.db cannot be used: the database library, libsql, cannot be loaded here \(Cannot find module 'libsql'\); run npm ci on this machine"/;

it('Without the database library, a start and a check report it in one sentence, and commands that need no file work', async () => {
  await cp(join(ROOT, 'dist'), folder.at('dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), folder.at('package.json'));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8', env: {} });
  for (const command of [['dist/server.js'], ['dist/manage.js', 'check']]) {
    const { status, stdout, stderr } = run(...command);
    expect([status, stdout + stderr]).toEqual([1, expect.stringMatching(SENTENCE)]);
  }
  expect(run('dist/manage.js', '--help').status).toBe(0);
});

it('A start, a test and a package whose install fails say why', async () => {
  for (const name of ['.npmrc', 'package-lock.json']) await cp(join(ROOT, name), folder.at(name));
  await writeFile(folder.at('package.json'), textOf('package.json').replace('>=20.19', '>=99'));
  for (const command of ['start', 'test', 'pack']) {
    const { status, stderr } = spawnSync('npm', [command], { cwd: folder.path, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('Required: {"node":">=99"}')]);
  }
});
