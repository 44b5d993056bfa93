// The two built programs that people call, the service and the operator's command, called
// wrongly, for their help, and broken off: they say what they take, and make nothing.

import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { COMMANDS } from '../../src/tools/manage/manage.js';
import { dataCommandHere } from '../support/data-command.js';
import { onLoopback } from '../support/loopback.js';
import { startProgram } from '../support/program.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAMES = Object.keys(COMMANDS);
const KEY = 'k'.repeat(40);

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await openTemporaryFolder();
});
afterAll(() => folder.remove());

/** In an empty folder, without a setting. */
function start(program: string, args: readonly string[], environment = {}) {
  const command = [process.execPath, join(ROOT, `dist/${program}.js`), ...args];
  return startProgram(command, { cwd: folder.path, environment });
}

const run = (...how: Parameters<typeof start>) => start(...how).ended;

function expectScreen(text: string): void {
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(30);
  expect(lines.filter(({ length }) => length > 80)).toEqual([]);
}

it.each(NAMES)('manage %s prints its help, and refuses an unknown option', async (name) => {
  const help = await dataCommandHere([name, '--help'], {});
  expect([help.code, help.stderr]).toEqual([0, '']);
  expectScreen(help.stdout);
  expect(help.stdout.startsWith(`Usage: manage ${name} `)).toBe(true);
  expect(help.stdout).toContain('  --settings <file> ');
  expect(help.stdout).toContain('\nExit codes: 0 done, 1 failed, 2 usage error, 130 stopped');
  const { code, stderr } = await dataCommandHere([name, '--setings', 'y'], {});
  const sentences = `unknown option '--setings'\n(Did you mean --settings?)\nmanage ${name} --help says`;
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentences)]);
});

it.each([
  [['dump'], '--to is missing: the dump; must not exist\nmanage dump --help says'],
  [['export', '--account', '--to', 'x'], '--account has no value: whose records\n'],
  [['export', '--account', ''], '--account has no value: whose records\n'],
  [['load'], "missing required argument 'file'\n"],
  [['load', 'a', 'b'], 'Expected 1 argument but got 2.\n'],
  [
    ['import', 'x', '--into', 'order'],
    "argument 'order' is invalid. Allowed choices are businesses,",
  ],
  [['export', '--collection', 'order'], "argument 'order' is invalid. Allowed choices are"],
  [['import', 'x', '--encoding', 'utf8x'], 'It must be a name such as utf-8, utf-16le'],
  [['ready', '--wait', '1.5'], "argument '1.5' is invalid. It must be 0 to 9999 seconds.\n"],
  [['toString'], "unknown command 'toString'\n"],
  [['restor'], "unknown command 'restor'\n(Did you mean restore?)\n"],
  [['--settings', 'x', 'ready'], "unknown option '--settings'\nmanage --help lists the commands\n"],
  [[], 'Usage: manage [options] [command]\n'],
])('%j is a usage error: %s', async (args, sentence) => {
  const { code, stdout, stderr } = await dataCommandHere(args, {});
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
});

it('A usage error under npm shows npm’s own spelling', async () => {
  const under = (script: string) => dataCommandHere(['load'], { npm_lifecycle_event: script });
  expect((await under('load')).stderr).toContain('\nnpm run load -- --help says');
  expect((await under('manage')).stderr).toContain('\nnpm run manage -- load --help says');
});

describe('dist/manage.js', () => {
  it('is the command of the package, and prints its release', async () => {
    expect(manifest.bin).toEqual({ manage: 'dist/manage.js' });
    const stdout = `${manifest.version}\n`;
    expect(await run('manage', ['--version'])).toEqual({ code: 0, stdout, stderr: '' });
  });

  it.each(['--help', '-h'])('lists its commands with %s', async (word) => {
    const { code, stdout, stderr } = await run('manage', [word]);
    expect([code, stderr]).toEqual([0, '']);
    expectScreen(stdout);
    const [, list = ''] = stdout.split('Commands:');
    const listed = [...list.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name);
    expect(listed).toEqual(NAMES);
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
    const sentence = expect.stringContaining('cannot be read: ENOENT');
    expect([none.code, none.stderr]).toEqual([2, sentence]);
  });
});

it('A command warns of a misspelled setting', async () => {
  const { stderr } = await dataCommandHere(['restore', 'none.db'], { DATABSE_URL: 'hush' });
  const warning = 'warning: unknown setting DATABSE_URL; ignored: did you mean DATABASE_URL?\n';
  expect(stderr).toContain(warning);
  expect(stderr).not.toContain('hush');
});

describe('manage ready --wait', () => {
  /** What each question finds: `starting` until the given one. */
  async function askUntil(readyAt: number, ...wait: string[]) {
    let questions = 0;
    const operations = createHttpServer((_, response) => {
      const ready = ++questions >= readyAt;
      response.end(JSON.stringify({ ready, reasons: ready ? [] : ['starting'], warnings: [] }));
    });
    const { port, close } = await onLoopback(operations);
    const { code, stdout } = await dataCommandHere(['ready', ...wait], { OPS_PORT: String(port) });
    await close();
    return { code, line: stdout.split('\n')[0], questions };
  }

  it('asks again until the service is ready or the time is over, and once without it', async () => {
    const never = Number.POSITIVE_INFINITY;
    const asked = await askUntil(3, '--wait', '60');
    expect(asked).toEqual({ code: 0, line: 'ready', questions: 3 });
    const starting = { code: 1, line: 'not ready: starting' };
    expect(await askUntil(2)).toEqual({ ...starting, questions: 1 });
    const { questions, ...ended } = await askUntil(never, '--wait', '1');
    expect([ended, questions > 1]).toEqual([starting, true]);
  });
});

describe('Ctrl-C', () => {
  /** It takes connections and never answers. */
  const silent = createServer();
  let port = '';

  beforeAll(async () => {
    port = String((await onLoopback(silent)).port);
  });
  afterAll(() => void silent.close());

  it('ends a command at once that waits for an answer', async () => {
    const { child, ended } = start('manage', ['ready'], { OPS_PORT: port });
    const [connection] = await once(silent, 'connection');
    child.kill('SIGINT');
    await ended;
    // A shell makes 130 of it.
    expect(child.signalCode).toBe('SIGINT');
    connection.destroy();
  });

  it('lets an export end what is under way, with 130', async () => {
    const settings = { SERVICE_URL: `http://127.0.0.1:${port}/api/v1`, ADMIN_API_KEY: KEY };
    const words = ['export', '--account', 'x', '--to', 'none'];
    const { child, ended, saw } = start('manage', words, settings);
    const [connection] = await once(silent, 'connection');
    child.kill('SIGINT');
    await saw('stopping');
    connection.destroy();
    const stderr = '\nstopping: finishing what is under way\nstopped; nothing was written\n';
    expect(await ended).toEqual({ code: 130, stdout: '', stderr });
  });

  it('is the end of the console, with 0', async () => {
    const settings = { ADMIN_API_KEY: KEY, CONSOLE_PORT: '0' };
    const { child, ended, saw } = start('manage', ['console'], settings);
    await saw('console: http');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});
