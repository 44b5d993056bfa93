// npm above the project's own commands, and below them: what its end means.

import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/pages.js';
import { startProgram } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();
const NPM = JSON.stringify(join(ROOT, 'scripts/npm.js'));

describe('A command that npm runs', () => {
  it.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)('ends when npm gets %s', async (signal) => {
    await writeFile(
      folder.at('main.js'),
      `import { endWithNpm } from ${NPM}; endWithNpm(); setInterval(() => {}, 1000);
       process.on('SIGTERM', () => process.exit(0)); console.log('number', process.pid);`,
    );
    const scripts = { start: 'node main.js' };
    await writeFile(folder.at('package.json'), JSON.stringify({ type: 'module', scripts }));
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
    const { at } = folder;
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
