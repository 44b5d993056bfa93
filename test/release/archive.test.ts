// The two archives of a release, unpacked in an empty folder: what is in them, and that one runs
// with only Node and the other with nothing.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { freePort } from '../../scripts/free-port.js';
import { COMMANDS } from '../../src/tools/manage/manage.js';
import { anchorsOf } from '../support/pages.js';
import { testFolder } from '../support/test-folder.js';

const run = promisify(execFile);
const ARCHIVE_MAX_BYTES = 25_000_000;
const NAME = `service-management-${manifest.version}`;

const folder = testFolder(beforeAll);
/** A folder of commands without Node, and one with this Node. */
let bare: string;
let withThisNode: string;
const at = (archive: 'plain' | 'withNode', path = '') => join(folder.path, archive, NAME, path);

beforeAll(async () => {
  for (const name of ['plain', 'withNode'] as const) {
    await mkdir(join(folder.path, name));
    await run('tar', ['xzf', inject(name), '-C', join(folder.path, name)]);
  }
  bare = await commandsIn('bare');
  withThisNode = await commandsIn('with-this-node');
  await symlink(process.execPath, join(withThisNode, 'node'));
});

/** What every Linux has; a bare machine has nothing else. */
async function commandsIn(name: string): Promise<string> {
  const path = join(folder.path, name);
  await mkdir(path);
  for (const command of ['sh', 'dirname', 'readlink']) {
    const { stdout } = await run('sh', ['-c', `command -v ${command}`]);
    await symlink(stdout.trim(), join(path, command));
  }
  return path;
}

async function call(command: string, args: readonly string[], PATH: string, env = {}) {
  const done = run(command, [...args], { cwd: folder.path, env: { PATH, ...env } });
  const { code = 0, stdout, stderr } = await done.catch((failed) => failed);
  return { code, stdout, stderr };
}

it('The archives are small, have checksums, and contain what an operator needs, but nothing for developers', async () => {
  expect((await stat(inject('plain'))).size).toBeLessThan(ARCHIVE_MAX_BYTES);
  const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: inject('release') });
  expect(stdout.match(/: OK$/gm)).toHaveLength(2);
  const files = await readdir(at('plain'), { recursive: true });
  const others = /\.map$|^src|^test|^bin|dist\/(types|client|worker)/;
  expect(files.filter((name) => others.test(name))).toEqual([]);
  const copied = ['nginx.conf', 'alerts.yml', 'install.sh', 'Containerfile', 'litestream.yml'];
  const pages = ['RELEASE-NOTES.md', 'CHANGELOG.md', 'pages/operations.md'];
  const wanted = ['dist/THIRD-PARTY-NOTICES.txt', ...pages];
  expect(files).toEqual(
    expect.arrayContaining([...wanted, ...copied.map((name) => `operations/${name}`)]),
  );
  expect(existsSync(at('withNode', 'bin/NODE-LICENSE'))).toBe(true);
});

it('The pages of the archive link only to what is in it, and use a release’s commands', async () => {
  const files = await readdir(at('plain'), { recursive: true });
  const pages = files.filter((name) => name.endsWith('.md') && !name.startsWith('node_modules'));
  expect(pages.length).toBeGreaterThan(8);
  for (const page of pages) {
    const text = await readFile(at('plain', page), 'utf8');
    const links = text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\((?!https:)([^)]+)\)/g);
    for (const [, target = ''] of links) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      expect(files, `${page} links to ${target}`).toContain(file);
      const linked = anchorsOf(await readFile(at('plain', file), 'utf8'));
      if (anchor !== undefined) expect(linked, `${page}: ${target}`).toContain(anchor);
    }
    if (!/pages\/(operations|running|data|console|settings)/.test(page)) continue;
    expect(text).not.toMatch(
      /npm run (?:manage -- [a-z]|import|export|erase|restore|console)|dist\/manage\.js [a-z]/,
    );
  }
});

describe.each([
  ['plain', 'Node alone', () => withThisNode],
  ['withNode', 'nothing', () => bare],
] as const)('The archive %s, on a machine with %s', (archive, _, path) => {
  const command = () => at(archive, 'service-management');

  it('has every command', async () => {
    const version = await call(command(), ['--version'], path());
    expect(version).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    for (const name of Object.keys(COMMANDS)) {
      const { code, stdout } = await call(command(), [name, '--help'], path());
      const usage = stdout.startsWith(`Usage: service-management ${name} `);
      expect([name, code, usage]).toEqual([name, 0, true]);
    }
  });

  it('runs the service, called through a link', async () => {
    const link = join(folder.path, `link-${archive}`);
    await symlink(command(), link);
    const env = {
      PORT: String(await freePort()),
      OPS_PORT: String(await freePort()),
      DATABASE_URL: `file:${join(folder.path, archive, 'service.db')}`,
    };
    const service = spawn(link, ['serve'], { env: { PATH: path(), ...env }, stdio: 'ignore' });
    const ended = once(service, 'exit');
    const waited = await call(link, ['ready', '--wait', '60'], path(), env);
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ready/) });
    const health = await fetch(`http://127.0.0.1:${env.PORT}/api/v1/health`);
    expect(health.status).toBe(200);
    service.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

it('The archive without Node reports what is missing, and takes Node 20.19 or newer', async () => {
  const command = at('plain', 'service-management');
  const { code, stderr } = await call(command, ['serve'], bare);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^this needs Node 20\.19 or newer, and no command node is here; .*\n$/);
  for (const version of ['v9.0.0', 'v18.20.8', 'v20.18.3', 'v20.19.0', 'v22.1.0', 'v26.0.0']) {
    const commands = await commandsIn(`node-${version}`);
    const node = `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\nexit 0\n`;
    await writeFile(join(commands, 'node'), node, { mode: 0o755 });
    const isOld = /^v(9|18|20\.18)\./.test(version);
    const stderr = isOld ? expect.stringContaining(`node is ${version}; install a newer one`) : '';
    expect(await call(command, ['ready'], commands)).toMatchObject({ code: Number(isOld), stderr });
  }
});
