// The two archives of a release, unpacked in an empty folder: what is in them, and that the one
// runs with Node alone and the other one with nothing.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { freePort } from '../../scripts/free-port.js';
import { COMMANDS } from '../../src/tools/manage/manage.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const ARCHIVE_MAX_BYTES = 25_000_000;
const NAME = `service-management-${manifest.version}`;
/** What every Linux has, and a machine with nothing on it has no more. */
const COREUTILS = ['sh', 'dirname', 'readlink'];

let folder: TemporaryFolder;
/** A folder of commands without Node, and one with this Node. */
let bare: string;
let withThisNode: string;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  for (const name of ['plain', 'withNode'] as const) {
    await mkdir(join(folder.path, name));
    await run('tar', ['xzf', inject(name), '-C', join(folder.path, name)]);
  }
  bare = await commandsIn('bare');
  withThisNode = await commandsIn('with-this-node');
  await symlink(process.execPath, join(withThisNode, 'node'));
});
afterAll(() => folder.remove());

async function commandsIn(name: string): Promise<string> {
  const path = join(folder.path, name);
  await mkdir(path);
  for (const command of COREUTILS) {
    const { stdout } = await run('sh', ['-c', `command -v ${command}`]);
    await symlink(stdout.trim(), join(path, command));
  }
  return path;
}

const at = (archive: 'plain' | 'withNode', path = '') => join(folder.path, archive, NAME, path);

async function call(command: string, args: readonly string[], PATH: string, env = {}) {
  const options = { cwd: folder.path, env: { PATH, ...env } };
  return run(command, [...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe('The archives', () => {
  it('are as small as the page says, and have the checksums beside them', async () => {
    expect((await stat(inject('plain'))).size).toBeLessThan(ARCHIVE_MAX_BYTES);
    const options = { cwd: inject('release') };
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], options);
    expect(stdout.match(/: OK$/gm)).toHaveLength(2);
  });

  it('have what an operator needs and nothing for programmers', async () => {
    const files = await readdir(at('plain'), { recursive: true });
    expect(
      files.filter((name) => /\.map$|^src|^test|dist\/(types|client|worker)/.test(name)),
    ).toEqual([]);
    const wanted = ['nginx.conf', 'alerts.yml', 'install.sh', 'Containerfile', 'litestream.yml'];
    expect(files).toEqual(
      expect.arrayContaining([
        'dist/THIRD-PARTY-NOTICES.txt',
        'RELEASE-NOTES.md',
        'CHANGELOG.md',
        'pages/operations.md',
        ...wanted.map((name) => `operations/${name}`),
      ]),
    );
    expect(files.some((name) => name.startsWith('bin'))).toBe(false);
    expect(existsSync(at('withNode', 'bin/NODE-LICENSE'))).toBe(true);
  });

  it('have pages whose links lead to files and headings that are there', async () => {
    const files = await readdir(at('plain'), { recursive: true });
    const pages = files.filter((name) => name.endsWith('.md') && !name.startsWith('node_modules'));
    expect(pages.length).toBeGreaterThan(10);
    for (const page of pages) {
      const prose = (await readFile(at('plain', page), 'utf8')).replace(/```[\s\S]*?```/g, '');
      for (const [, target = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
        if (target.startsWith('https://')) continue;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        expect(files, `${page} links to ${target}`).toContain(file);
        const text = await readFile(at('plain', file), 'utf8');
        if (anchor !== undefined) expect(anchorsOf(text), `${page}: ${target}`).toContain(anchor);
      }
    }
  });

  it('have pages whose commands are those of a release', async () => {
    for (const page of ['operations', 'data', 'console', 'settings', 'replication']) {
      const text = await readFile(at('plain', `pages/${page}.md`), 'utf8');
      expect(text).not.toMatch(
        /npm run (?:manage -- [a-z]|import|export|erase|restore|move|console)|dist\/manage\.js [a-z]/,
      );
    }
    expect(await readFile(at('plain', 'pages/data.md'), 'utf8')).toContain(
      "service-management erase --account 'auth0|saluni' --export-first",
    );
  });
});

describe.each([
  ['plain', 'Node alone', () => withThisNode],
  ['withNode', 'nothing', () => bare],
] as const)('The archive %s, on a machine with %s', (archive, _, path) => {
  const command = at.bind(undefined, archive, 'service-management');

  it('has every command', async () => {
    expect(await call(command(), ['--version'], path())).toMatchObject({
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
    const helped = Object.keys(COMMANDS).map(async (name) => {
      const { code, stdout } = await call(command(), [name, '--help'], path());
      return [code, stdout.startsWith(`manage ${name}`)];
    });
    expect(await Promise.all(helped)).toEqual(helped.map(() => [0, true]));
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

describe('The archive without Node', () => {
  const command = () => at('plain', 'service-management');

  it('says what is missing on a machine without Node', async () => {
    expect(await call(command(), ['serve'], bare)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'this needs Node 20.19 or newer, and no command node is here; install it, or take the release whose name ends in -node\n',
    });
  });

  it.each([
    ['v18.20.8', 1],
    ['v20.18.3', 1],
    ['v20.19.0', 0],
    ['v20.20.2', 0],
    ['v22.1.0', 0],
    ['v24.21.0', 0],
    ['v26.0.0', 0],
    ['v9.0.0', 1],
  ])('takes or refuses Node %s', async (version, code) => {
    const commands = await commandsIn(`node-${version}`);
    await writeFile(
      join(commands, 'node'),
      `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\nexit 0\n`,
    );
    await chmod(join(commands, 'node'), 0o755);
    const called = await call(command(), ['ready'], commands);
    expect(called.code).toBe(code);
    if (code === 1) expect(called.stderr).toContain(`node is ${version}; install a newer one`);
  });
});

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replace(/\s/g, '-'),
  );
}
