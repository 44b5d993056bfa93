// The two built programs that people run, the service and the operator's command: usage errors,
// help, and Ctrl-C, none of which creates anything.

import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { COMMANDS } from '../../src/tools/manage/manage.js';
import { listenLocally } from '../support/listen.js';
import { runManage } from '../support/manage.js';
import { startProgram } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAMES = Object.keys(COMMANDS);
const KEY = 'k'.repeat(40);

const folder = testFolder();

/** In an empty folder, without a setting. */
function start(program: string, args: readonly string[], environment = {}) {
  const command = [process.execPath, join(ROOT, `dist/${program}.js`), ...args];
  return startProgram(command, { cwd: folder.path, environment });
}

const run = (...how: Parameters<typeof start>) => start(...how).ended;

it.each(NAMES)('manage %s prints its help, and refuses an unknown option', async (name) => {
  const help = await runManage([name, '--help'], {});
  expect([help.code, help.stderr]).toEqual([0, '']);
  // A screen.
  expect(help.stdout).not.toMatch(/.{81}|(?:\n.*){31}/);
  expect(help.stdout.startsWith(`Usage: manage ${name} `)).toBe(true);
  expect(help.stdout).toContain('  --settings <file> ');
  expect(help.stdout).toContain('\nExit codes: 0 done, 1 failed, 2 usage error, 130 stopped');
  const { code, stderr } = await runManage([name, '--setings', 'y'], {});
  expect([code, stderr]).toEqual([2, expect.stringContaining(`manage ${name} --help lists`)]);
});

it.each([
  [['dump'], "required option '--to <file>' not specified\nmanage dump --help lists"],
  [['load'], "missing required argument 'file'\n"],
  [['load', 'a', 'b'], 'Expected 1 argument but got 2.\n'],
  [
    ['import', 'x', '--into', 'order'],
    "argument 'order' is invalid. Allowed choices are businesses,",
  ],
  [['export', '--collection', 'order'], "argument 'order' is invalid. Allowed choices are"],
  [['ready', '--wait', '1.5'], "argument '1.5' is invalid. It must be 0 to 9999 seconds.\n"],
  [['toString'], "unknown command 'toString'\n"],
  [['restor'], "unknown command 'restor'\n(Did you mean restore?)\n"],
  [['--settings', 'x', 'ready'], "unknown option '--settings'\nmanage --help lists the commands\n"],
  [[], 'Usage: manage [options] [command]\n'],
])('%j is a usage error: %s', async (args, sentence) => {
  const { code, stdout, stderr } = await runManage(args, {});
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
});

it('dist/manage.js is the command of the package, prints its release, and lists its commands', async () => {
  expect(manifest.bin).toEqual({ manage: 'dist/manage.js' });
  const version = { code: 0, stdout: `${manifest.version}\n`, stderr: '' };
  expect(await run('manage', ['--version'])).toEqual(version);
  const { code, stdout } = await runManage(['-h'], {});
  const [, list = ''] = stdout.split('Commands:');
  const listed = [...list.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name);
  expect([code, listed]).toEqual([0, NAMES]);
});

describe('dist/server.js', () => {
  it.each([['chek'], ['--check=yes']])('starts nothing with %s', async (word) => {
    expect((await run('server', [word])).code).toBe(2);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('reads its settings from files', async () => {
    for (const name of ['PORT', 'OPS_PORT']) await writeFile(folder.at(name), `${name}=x\n`);
    const files = ['--settings', 'PORT', '--settings', 'OPS_PORT'];
    const { code, stdout } = await run('server', ['--check', ...files]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/PORT is .*OPS_PORT is/)]);
  });
});

it('A command warns about a misspelled setting', async () => {
  const { stderr } = await runManage(['restore', 'none.db'], { DATABSE_URL: 'hush' });
  const warning = 'warning: unknown setting DATABSE_URL; ignored: did you mean DATABASE_URL?\n';
  expect(stderr).toContain(warning);
  expect(stderr).not.toContain('hush');
});

it.each([
  ['until the service is ready', 3, ['--wait', '60'], 0, 'ready\n', 3],
  ['once without --wait', 2, [], 1, 'not ready: starting\n', 1],
  ['until the time is over', Number.POSITIVE_INFINITY, ['--wait', '1'], 1, 'not ready: starting\n'],
])('manage ready polls %s', async (_, readyAt, wait, code, line, asked = expect.any(Number)) => {
  let questions = 0;
  const operations = createHttpServer((_, response) => {
    const ready = ++questions >= readyAt;
    response.end(JSON.stringify({ ready, reasons: ready ? [] : ['starting'], warnings: [] }));
  });
  const { port, close } = await listenLocally(operations);
  const ended = await runManage(['ready', ...wait], { OPS_PORT: String(port) });
  await close();
  expect([ended.code, questions]).toEqual([code, asked]);
  expect(ended.stdout.startsWith(line)).toBe(true);
});

describe('The admin key', () => {
  const FOREIGN = 'http://service.example:8080/api/v1';
  const account = ['--account', 'x'];
  it.each([
    ['SERVICE_URL', ['export', ...account, '--to', 'none']],
    ['SERVICE_URL', ['import', 'x.csv', '--into', 'team', ...account]],
    ['SERVICE_URL', ['erase', ...account, '--export-first', 'none', '--confirm', 'x']],
    ['SERVICE_URL', ['console']],
    ['--from', ['dump', '--to', 'none', '--from', FOREIGN]],
    ['--to', ['load', 'x.ndjson', '--to', FOREIGN]],
  ])('is not sent over http to another machine that %s of %j names', async (name, args) => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    onTestFinished(() => fetched.mockRestore());
    await writeFile(folder.at('x.csv'), 'name,phone\nA,1\n');
    const settings = { SERVICE_URL: FOREIGN, ADMIN_API_KEY: KEY, INIT_CWD: folder.path };
    const environment = { ...settings, BACKUP_DIR: folder.path };
    const { code, stderr } = await runManage(args, environment);
    const sentence = `${name} is "${FOREIGN}"; it must be an https address, or http on loopback`;
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe('Ctrl-C', () => {
  it('lets an export finish its requests, and ends it with 130', async () => {
    // It accepts connections and never responds.
    const silent = createServer();
    const { port } = await listenLocally(silent);
    const settings = { SERVICE_URL: `http://127.0.0.1:${port}/api/v1`, ADMIN_API_KEY: KEY };
    const words = ['export', '--account', 'x', '--to', 'none'];
    const { child, ended, saw } = start('manage', words, settings);
    const [connection] = await once(silent, 'connection');
    child.kill('SIGINT');
    await saw('stopping');
    connection.destroy();
    silent.close();
    const stderr = '\nstopping: finishing what is in progress\nstopped; nothing was written\n';
    expect(await ended).toEqual({ code: 130, stdout: '', stderr });
  });

  it('ends the console with 0', async () => {
    const settings = { ADMIN_API_KEY: KEY, CONSOLE_PORT: '0' };
    const { child, ended, saw } = start('manage', ['console'], settings);
    await saw('console: http');
    child.kill('SIGINT');
    const stderr = '\nstopping: finishing what is in progress\n';
    expect(await ended).toMatchObject({ code: 0, stderr });
  });
});
