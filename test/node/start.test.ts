// How the process starts, or fails to: invalid settings and files end it with exit code 1 and one line
// for the operator. Which ones: node/settings, storage/file/refused-files. `--check`. The log: one
// JSON line per event, none for a request (node/operations-port), none with a secret (node/secrets).

import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { listenLocally } from '../support/listen.js';
import { createCustomer, nodeService } from '../support/node-service.js';
import type { Environment } from '../support/program.js';
import { spawnServer } from '../support/server-process.js';

const service = nodeService();

/** Why a start fails. Throws if it does not, or writes more than one line and a new database's. */
async function refusal(environment: Environment): Promise<string> {
  const { exited, log } = spawnServer({ ...service.environment, ...environment });
  expect(await exited).toBe(1);
  const lines = log().filter(({ event }) => event !== 'database_created');
  expect(lines).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'error',
      event: 'start_failed',
      error: expect.any(String),
    },
  ]);
  const sentence = String(lines[0]?.['error']);
  // One sentence: no stack trace, no source location.
  expect(sentence).not.toMatch(/\n|\bat .*:\d+|\.js\b/);
  return sentence;
}

describe('A start', () => {
  it('fails with one line and creates no file if a setting is wrong', async () => {
    const secret = { AUTH_USERINFO_HEADERS: '{"apikey":hush}', ADMIN_API_KEY: 'hush'.repeat(9) };
    const sentence = await refusal({ PORT: 'canary', ...secret });
    expect(sentence).toContain('PORT is "canary"; it must be a whole number from 0 to 65535');
    expect(sentence).toContain('AUTH_USERINFO_HEADERS is (hidden); it must be');
    expect(sentence).not.toContain('hush');
    expect(await readdir(service.folder)).toEqual([]);
  });

  it('fails with one line, and takes no backup, if another program has a port', async () => {
    const { port, close } = await listenLocally(createServer());
    const BACKUP_DIR = service.at('backups');
    await mkdir(BACKUP_DIR);
    expect(await refusal({ PORT: String(port), BACKUP_DIR })).toBe(
      `the service cannot listen on 127.0.0.1:${port}: this port is in use; set PORT to a free one`,
    );
    expect(await refusal({ OPS_PORT: String(port), BACKUP_DIR })).toBe(
      `the operations port cannot be opened on 127.0.0.1:${port}: this port is in use; set OPS_PORT to a free one`,
    );
    expect(await readdir(BACKUP_DIR)).toEqual([]);
    await close();
  });

  it('reports that the previous process was killed, waits for one that stops, and marks its own writes', async () => {
    const killed = await service.start();
    await killed.stop('SIGKILL');
    const event = 'previous_process_killed';
    const first = await service.start();
    expect(first.log()).toContainEqual(expect.objectContaining({ level: 'warn', event }));
    expect((await createCustomer(first)).status).toBe(201);
    const starting = service.start();
    // Long enough for the second one to wait for the lock.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await first.stop();
    const second = await starting;
    expect(second.output()).not.toContain(event);
    expect((await createCustomer(second)).status).toBe(201);
    expect(await readdir(service.folder)).toContain('service.db-open');
  });

  it.each([
    ['127.0.0.1', '127.0.0.2', {}],
    ['127.0.0.2', '127.0.0.1', { HOST: '127.0.0.2' }],
  ])('listens on %s and on no other address', async (address, elsewhere, environment) => {
    // A listener on every address could not have the port that this one has on another address.
    const [port, holder] = [await freePort(), createServer()];
    await new Promise<void>((resolve) => holder.listen(port, elsewhere, resolve));
    const server = await service.start({ ...environment, PORT: String(port) });
    holder.close();
    expect(server.origin).toBe(`http://${address}:${port}`);
  });

  it('creates the folder and the file for its own user only', async () => {
    const folder = service.at('new');
    await service.start({ DATABASE_URL: `file:${folder}/deep/service.db` });
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect([await mode(folder), await mode(join(folder, 'deep'))]).toEqual(['700', '700']);
    const files = await readdir(join(folder, 'deep'));
    expect(files).toContain('service.db');
    for (const file of files) expect(await mode(join(folder, 'deep', file))).toBe('600');
  });
});

/** Runs `--check`. `found`: what each check found, or why it failed. */
async function check(environment: Environment = {}, ...more: string[]) {
  const all = { ...service.environment, ...environment };
  const run = spawnServer(all, { args: ['--check', ...more] });
  const { code, stdout } = await run.ended;
  const looks = run.log().filter(({ event }) => event === 'checked');
  const found = Object.fromEntries(
    looks.map((line) => [String(line['what']), line['found'] ?? line['error']]),
  );
  const others = run.log().filter(({ event }) => event !== 'checked');
  // What `… --check | tail -n 1` shows is the verdict.
  expect(stdout.trim().split('\n').at(-1)).toContain(code === 0 ? 'check_passed' : 'check_failed');
  return { code, found, events: others.map(({ event }) => event), others };
}

describe('A check', () => {
  it('passes before the first start, lists what it checked, and creates no file', async () => {
    const { code, found, others } = await check();
    expect(Object.entries(found)).toEqual([
      ['settings', 'valid'],
      ['database', 'absent: a start creates it'],
      ['backups', 'none: BACKUP_DIR is unset'],
      ['replica', 'none: REPLICATION is off'],
      ['operations port', 'none: OPS_PORT is unset'],
      ['port', '127.0.0.1:0: a start picks one'],
      ['identity provider', 'not checked; pass --online'],
    ]);
    expect([code, others]).toMatchObject([0, [{ event: 'check_passed', checks: 7 }]]);
    expect(await readdir(service.folder)).toEqual([]);
  });

  it('passes while a service runs, without disturbing it', async () => {
    const server = await service.start();
    const { events, found } = await check({ PORT: new URL(server.origin).port });
    expect(events).toEqual(['check_passed']);
    expect(found['database']).toMatch(/^in use by another process/);
    expect(found['port']).toMatch(/ is in use, presumably by the running service$/);
    expect((await check({ HOST: '192.0.2.1' })).found['port']).toMatch(/is not on this machine/);
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect((await check()).found['database']).toMatch(/^usable/);
  });

  it('reports every problem that would fail a start, each in a sentence', async () => {
    const { port, close } = await listenLocally(createServer());
    const wrong = {
      REPLICATON: 'sync',
      ADMIN_API_KEY: 'short',
      DATABASE_URL: 'file:/dev/null/x/y.db',
      BACKUP_DIR: '/nope',
      HOST: '192.0.2.1',
      OPS_PORT: String(port),
      AUTH_USERINFO_URL: 'http://127.0.0.1:9/',
    };
    const { code, found, others } = await check(wrong, '--online');
    await close();
    const { replica, ...failed } = found;
    expect(failed).toEqual({
      settings: expect.stringMatching(/unknown setting REPLICATON; ignored.*; .*is disabled/),
      database: expect.stringContaining('y.db cannot be used'),
      backups: expect.stringContaining('/nope cannot be used: no such file or folder; check'),
      'operations port': expect.stringContaining('this port is in use; set OPS_PORT'),
      port: expect.stringContaining('the address is not on this machine; set HOST'),
      'identity provider': expect.stringContaining('did not refuse a made-up token: ECONNREFUSED'),
    });
    const error = Object.values(failed).join('; also ');
    expect([code, others]).toMatchObject([1, [{ event: 'check_failed', error }]]);
  });

  it('fails if a setting cannot be used, or two ports are the same', async () => {
    expect((await check({ PORT: 'x' })).found).toEqual({
      settings: expect.stringContaining('PORT is "x"; it must be'),
    });
    const free = String(await freePort());
    const same = await check({ PORT: free, OPS_PORT: free }, '--online');
    expect(same.found).toMatchObject({
      'operations port': `127.0.0.1:${free} is free`,
      port: expect.stringContaining('this port is in use; set PORT'),
      'identity provider': 'a made-up token is refused',
    });
  });
});

it('A start warns about likely mistakes in settings, and accepts both keys during a rotation', async () => {
  const [key, file] = ['k'.repeat(32), service.at('keys')];
  await writeFile(file, `${key}\r\n${key}new\n\n`);
  const server = await service.start({
    AUTH_USERINFO_URL: '',
    AUTH_USERINFO_ULR: 'https://hush.example',
    ADMIN_API_KEY_FILE: file,
  });
  const warnings = server.log().flatMap(({ level, event }) => (level === 'warn' ? [event] : []));
  expect(warnings).toEqual(
    expect.arrayContaining(['identity_provider_not_configured', 'setting_unknown']),
  );
  expect(server.output()).not.toContain('hush');
  const statuses = [key, `${key}new`, `${key}ne`, ''].map(async (sent) => {
    const headers = { 'X-Service-Admin-Key': sent };
    return (await fetch(`${server.origin}/api/v1/admin/overview`, { headers })).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401]);
});

describe('The log', () => {
  it('has a line for each warning and uncaught error of a library', async () => {
    // Preloaded into the process, as a library would be.
    const library = `process.on('SIGWINCH', () => {
      process.emitWarning('planted warning');
      setImmediate(() => Promise.reject(new Error('planted rejection')));
    })`;
    const server = await service.start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(library)}`,
    });
    server.child.kill('SIGWINCH');
    expect(await server.exited).toBe(1);
    expect(server.log().map(({ event, text, error }) => [event, text ?? error])).toEqual([
      ['database_created', undefined],
      ['started', undefined],
      ['process_warning', 'Warning: planted warning'],
      ['process_failed', expect.stringMatching(/^planted rejection/)],
    ]);
  });

  it('explains why a signal is ignored, and which one to use instead', async () => {
    const server = await service.start();
    for (const [signal, hint] of [
      ['SIGUSR1', 'SIGUSR2 takes a backup'],
      ['SIGHUP', 'SIGTERM stops the service'],
      ['SIGUSR2', 'no backup was taken: BACKUP_DIR is unset'],
    ] as const) {
      server.child.kill(signal);
      await server.saw(hint);
    }
    const ignored = server.log().filter(({ event }) => event === 'signal_ignored');
    expect(ignored.map(({ signal }) => signal)).toEqual(['SIGUSR1', 'SIGHUP']);
    expect(server.output()).not.toMatch(/debugger/i);
    expect(await server.stop()).toBe(0);
  });

  it('may lose its reader, and the service continues and stops normally', async () => {
    const server = await service.start();
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    // Each of these is worth a line.
    const headers = { 'X-Service-Admin-Key': 'wrong' };
    const asked = () => fetch(`${server.origin}/api/v1/admin/overview`, { headers });
    for (let i = 0; i < 3; i++) expect((await asked()).status).toBe(503);
    server.child.kill('SIGUSR2');
    expect(await server.stop()).toBe(0);
  });
});
