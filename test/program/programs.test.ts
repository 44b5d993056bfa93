// Every built program that people call, called wrongly or for its help: it says what it
// takes, starts nothing and makes nothing.

import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '../support/bare-environment.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCREEN_LINES = 40;
const SCREEN_COLUMNS = 90;

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await openTemporaryFolder();
});
afterAll(() => folder.remove());

/** In an empty folder, without a setting. */
async function run(program: string, args: readonly string[], environment = {}) {
  const child = spawn(process.execPath, [join(ROOT, `dist/${program}.js`), ...args], {
    cwd: folder.path,
    env: { ...bareEnvironment(), ...environment },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, ...text };
}

const PROGRAMS = [
  ['server', []],
  ['console', []],
  ['ready', []],
  ['restore', []],
  ['move', []],
  ['data', []],
  ['data', ['import']],
  ['data', ['export']],
  ['data', ['erase']],
] as const;

describe.each(PROGRAMS)('dist/%s.js %j', (program, command) => {
  it('prints its help, one screen, and ends with 0', async () => {
    const { code, stdout, stderr } = await run(program, [...command, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines.length).toBeLessThanOrEqual(SCREEN_LINES);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(SCREEN_COLUMNS);
    expect(stdout).toMatch(/(?:npm run|node dist)/);
    expect(stdout).toMatch(/^Exit codes: 0 \w+, 1 .*2 not understood/m);
    expect(stdout.includes('--settings FILE')).toBe(program !== 'data' || command.length > 0);
  });

  it('prints its version, and ends with 0', async () => {
    const { version } = await import('../../package.json', { with: { type: 'json' } }).then(
      (module) => module.default,
    );
    expect(await run(program, [...command, '--version'])).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it('ends with 2 and its usage where an option is none of its own', async () => {
    const { code, stdout, stderr } = await run(program, [...command, '--chek']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--chek/);
    expect(stderr).toMatch(/\nusage: |--help says more/);
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe('dist/server.js', () => {
  it.each([[['chek']], [['--check=yes']], [['--online']], [['--check', 'service.db']]])(
    'starts nothing with %j',
    async (args) => {
      expect((await run('server', args)).code).toBe(2);
      expect(await readdir(folder.path)).toEqual([]);
    },
  );

  it('reads its settings from a file, and is refused where it cannot read it', async () => {
    const file = join(folder.path, 'settings');
    await writeFile(file, 'PORT=x\n');
    const wrong = await run('server', ['--check', '--settings', file]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('PORT is \\"x\\"')]);
    const none = await run('server', ['--check', '--settings', `${file}-none`]);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be read (ENOENT)'),
    ]);
  });
});

it.each([
  ['restore', ['none.db', '--database', 'service.db']],
  ['data', ['import', 'none.csv', '--account', 'a', '--into', 'customers', '--dry-run']],
  ['move', ['--from', 'none.db', '--to', 'http://127.0.0.1:9']],
] as const)('dist/%s.js warns of a misspelled setting', async (program, args) => {
  const { stderr } = await run(program, args, { DATABSE_URL: 'hush', ADMIN_API_KEY: 'k' });
  expect(stderr).toContain(
    'warning: DATABSE_URL is no setting and does nothing; DATABASE_URL is probably meant\n',
  );
  expect(stderr).not.toContain('hush');
});
