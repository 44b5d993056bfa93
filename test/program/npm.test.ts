// npm below the project's own commands, and above them: how it is run, and what its end means.

import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/pages.js';
import { startProgram } from '../support/program.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const NPM = JSON.stringify(join(ROOT, 'scripts/npm.js'));

describe('npm', () => {
  it('is run through Node by the program that npm itself names, without a PATH', () => {
    const code = `import { runNpm } from ${NPM}; runNpm(['--version'], { stdio: 'inherit' });`;
    const run = (environment: Readonly<Record<string, string>>) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', code], {
        env: { PATH: '/nowhere', ...environment },
        encoding: 'utf8',
      }).stdout;
    const { stdout } = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' });
    const npm_execpath = join(stdout.trim(), 'npm/bin/npm-cli.js');
    expect(run({ npm_execpath })).toMatch(/^\d+\.\d+\.\d+$/m);
    expect(run({})).toBe('');
    // Another package manager's.
    expect(run({ npm_execpath: '/usr/bin/yarn.js' })).toBe('');
  });
});

describe('A command that npm runs', () => {
  it.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)('ends when npm gets %s', async (signal) => {
    const folder = await openTemporaryFolder();
    onTestFinished(() => folder.remove());
    await writeFile(
      join(folder.path, 'main.js'),
      `import { endWithNpm } from ${NPM}; endWithNpm(); setInterval(() => {}, 1000);
       process.on('SIGTERM', () => process.exit(0)); console.log('number', process.pid);`,
    );
    const scripts = { start: 'node main.js' };
    await writeFile(join(folder.path, 'package.json'), JSON.stringify({ type: 'module', scripts }));
    const how = { cwd: folder.path, environment: process.env };
    const { child, saw } = startProgram(['npm', 'start'], how);
    const number = Number(await saw(/number (\d+)/));
    onTestFinished(() => {
      if (isAlive(number)) process.kill(number, 'SIGKILL');
    });
    child.kill(signal);
    while (isAlive(number)) await new Promise((resolve) => setTimeout(resolve, 50));
  });
});

describe('A first start', () => {
  it('ends at once with Ctrl-C, with its npm, and the next one removes what that left', async () => {
    // A clone whose packages are missing. Its npm never ends by itself.
    const folder = await openTemporaryFolder();
    onTestFinished(() => folder.remove());
    const at = (name: string) => join(folder.path, name);
    await mkdir(at('scripts'));
    for (const name of ['setup.js', 'packages.js', 'npm.js']) {
      await copyFile(join(ROOT, 'scripts', name), at(`scripts/${name}`));
    }
    const missing = { version: '1.0.0' };
    const packages = {
      '': { dependencies: { missing: '1.0.0' } },
      'node_modules/missing': missing,
    };
    await writeFile(at('package-lock.json'), JSON.stringify({ packages }));
    await writeFile(at('package.json'), '{"type":"module"}');
    await writeFile(
      at('npm-cli.js'),
      `import { mkdirSync, readdirSync } from 'node:fs';
       mkdirSync('node_modules', { recursive: true });
       console.error('npm is', process.pid, 'and finds', readdirSync('node_modules').join());
       process.on('SIGINT', () => {}); mkdirSync('node_modules/half'); setInterval(() => {}, 1000);`,
    );
    const environment = { ...process.env, npm_execpath: at('npm-cli.js') };
    // A killed command left it.
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    await writeFile(at('.setup.lock'), String(gone));
    const setup = [process.execPath, at('scripts/setup.js')] as const;
    const { child, saw, ended } = startProgram(setup, { environment });
    const npm = Number(await saw(/npm is (\d+)/));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([130, expect.not.stringContaining('Another command')]);
    while (isAlive(npm)) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await readdir(folder.path)).not.toContain('.setup.lock');
    // npm would take a package that lacks some of its files for whole.
    const next = startProgram(setup, { environment });
    expect(await next.saw(/npm is .* and finds (.*)/)).not.toContain('half');
    next.child.kill('SIGINT');
    await next.ended;
  });
});

function isAlive(number: number): boolean {
  try {
    return process.kill(number, 0);
  } catch {
    return false;
  }
}
