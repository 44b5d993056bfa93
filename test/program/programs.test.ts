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
import { onLoopback } from '../support/loopback.js';
import { startProgram } from '../support/program.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCREEN_LINES = 24;
const SCREEN_COLUMNS = 80;
const NAMES = Object.keys(COMMANDS);

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

function expectOneScreen(text: string): void {
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(SCREEN_LINES);
  expect(lines.filter(({ length }) => length > SCREEN_COLUMNS)).toEqual([]);
}

describe.each([['server', []] as const, ...NAMES.map((name) => ['manage', [name]] as const)])(
  'dist/%s.js %j',
  (program, command) => {
    it('prints its help, one screen, and ends with 0', async () => {
      const { code, stdout, stderr } = await run(program, [...command, '--help']);
      expect([code, stderr]).toEqual([0, '']);
      expectOneScreen(stdout);
      const usage = program === 'server' ? 'node dist/server.js' : `manage ${command[0]}`;
      expect(stdout.split('\n')[0]?.startsWith(usage)).toBe(true);
      const codes = '\nExit codes: 0 done, 1 failed, 2 usage error, 130 stopped with Ctrl-C.\n';
      expect(stdout).toContain(codes);
      expect(stdout).toContain('  --settings FILE ');
    });

    it('prints its version, and ends with 0', async () => {
      const stdout = `${manifest.version}\n`;
      expect(await run(program, [...command, '--version'])).toEqual({
        code: 0,
        stdout,
        stderr: '',
      });
    });

    it('ends with 2 and its usage where an option is none of its own', async () => {
      const { code, stdout, stderr } = await run(program, [...command, '--chek']);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/'--chek'.* --help says what it takes\)\nusage: /);
      expect(await readdir(folder.path)).toEqual([]);
    });
  },
);

describe('dist/manage.js', () => {
  it('is the command of the package', () => {
    expect(manifest.bin).toEqual({ manage: 'dist/manage.js' });
  });

  it.each(['--help', '-h', 'help'])('lists its commands with %s', async (word) => {
    const { code, stdout, stderr } = await run('manage', [word]);
    expect([code, stderr]).toEqual([0, '']);
    expectOneScreen(stdout);
    const listed = [...stdout.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name);
    expect(listed).toEqual(NAMES);
  });

  it.each([
    [['exprot'], 'unknown command "exprot"; did you mean export?'],
    [['backup'], `unknown command "backup"; it must be one of ${NAMES.join(', ')}`],
    [['toString'], 'unknown command "toString"'],
    [['--settings', 'x', 'ready'], 'unknown command "--settings"'],
    [[], 'no command is given; it must be one of serve, '],
  ])('ends %j with 2 and the usage', async (args, sentence) => {
    const { code, stdout, stderr } = await run('manage', args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.startsWith(sentence)).toBe(true);
    expect(stderr).toContain('\nusage: manage COMMAND ');
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
  ['restore', 'none.db', '--database', 'service.db'],
  ['import', 'none.csv', '--account', 'a', '--into', 'customers', '--dry-run'],
  ['dump', '--from', 'none.db', '--to', 'none.ndjson'],
])('%s warns of a misspelled setting', async (...args) => {
  const { stderr } = await run('manage', args, { DATABSE_URL: 'hush', ADMIN_API_KEY: 'k' });
  expect(stderr).toContain(
    'warning: unknown setting DATABSE_URL; ignored: did you mean DATABASE_URL?\n',
  );
  expect(stderr).not.toContain('hush');
});

describe('manage ready --wait', () => {
  /** What each question finds: `starting` until the given one. */
  async function askUntil(readyAt: number, wait: readonly string[]) {
    let questions = 0;
    const operations = createHttpServer((_, response) => {
      questions += 1;
      const ready = questions >= readyAt;
      response.end(JSON.stringify({ ready, reasons: ready ? [] : ['starting'], warnings: [] }));
    });
    const { port, close } = await onLoopback(operations);
    const { code, stdout } = await run('manage', ['ready', ...wait], { OPS_PORT: String(port) });
    await close();
    return { code, line: stdout.split('\n')[0], questions };
  }

  it('asks again until the service is ready, and says so once', async () => {
    const asked = await askUntil(3, ['--wait', '60']);
    expect(asked).toEqual({ code: 0, line: 'ready', questions: 3 });
  });

  it('gives up after the time, with the last answer', async () => {
    const { code, line, questions } = await askUntil(Number.POSITIVE_INFINITY, ['--wait', '1']);
    expect([code, line]).toEqual([1, 'not ready: starting']);
    expect(questions).toBeGreaterThan(1);
  });

  it('asks once without it', async () => {
    const asked = await askUntil(2, []);
    expect(asked).toEqual({ code: 1, line: 'not ready: starting', questions: 1 });
  });

  it.each(['0', '1.5', 'soon', '3601'])('is refused with %s', async (seconds) => {
    const { code, stderr } = await run('manage', ['ready', '--wait', seconds], { OPS_PORT: '1' });
    expect([code, stderr]).toEqual([
      2,
      `--wait is "${seconds}"; it must be a whole number of seconds from 1 to 3600\n`,
    ]);
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

  it('ends a command at once that waits for an answer, with 130', async () => {
    const { child, ended } = start('manage', ['ready'], { OPS_PORT: port });
    const [connection] = await once(silent, 'connection');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stdout: '', stderr: '\nstopped\n' });
    connection.destroy();
  });

  it('lets an export end what is under way, with 130', async () => {
    const { child, ended, saw } = start('manage', ['export', '--account', 'x', '--to', 'none'], {
      SERVICE_URL: `http://127.0.0.1:${port}/api/v1`,
      ADMIN_API_KEY: 'k'.repeat(40),
    });
    const [connection] = await once(silent, 'connection');
    child.kill('SIGINT');
    await saw('stopping');
    connection.destroy();
    expect(await ended).toEqual({
      code: 130,
      stdout: '',
      stderr: '\nstopping: finishing what is under way\nstopped; nothing was written\n',
    });
  });

  it('is the end of the console, with 0', async () => {
    const { child, ended, saw } = start('manage', ['console'], {
      ADMIN_API_KEY: 'k'.repeat(40),
      CONSOLE_PORT: '0',
    });
    await saw('console: http');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain('"event":"stopping"');
  });
});
