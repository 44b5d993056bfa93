// How the process starts, or does not: settings and files that can't be used end it with exit code 1
// and one line for the operator. Which ones: node/settings, storage/file/refused-files. And `--check`.

import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { onLoopback } from '../support/loopback.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import type { Environment } from '../support/program.js';
import { spawnServer } from '../support/server-process.js';

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** Why a start fails. Throws if it does not, or writes more than one JSON line besides a new database's own. */
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
  // One sentence: no stack trace, no place in the code.
  expect(sentence).not.toMatch(/\n|\bat .*:\d+|\.js\b/);
  return sentence;
}

describe('A start', () => {
  it('ends with one line, and without a file, if a setting is wrong', async () => {
    const secret = { AUTH_USERINFO_HEADERS: '{"apikey":hush}', ADMIN_API_KEY: 'hush'.repeat(9) };
    const sentence = await refusal({ PORT: 'canary', ...secret });
    expect(sentence).toContain('PORT is "canary"; it must be a whole number from 0 to 65535');
    expect(sentence).toContain('AUTH_USERINFO_HEADERS is (hidden); it must be');
    expect(sentence).not.toContain('hush');
    expect(await readdir(service.folder)).toEqual([]);
  });

  it('ends with one line, and no backup, if another program has the port', async () => {
    const { port, close } = await onLoopback(createServer());
    const BACKUP_DIR = join(service.folder, 'backups');
    await mkdir(BACKUP_DIR);
    expect(await refusal({ PORT: String(port), BACKUP_DIR })).toBe(
      `the service cannot listen on 127.0.0.1:${port}: this port is in use; set PORT to a free one`,
    );
    expect(await readdir(BACKUP_DIR)).toEqual([]);
    await close();
  });

  it('ends with the name of the setting if another program has the operations port', async () => {
    const { port, close } = await onLoopback(createServer());
    expect(await refusal({ OPS_PORT: String(port) })).toBe(
      `the operations port cannot be opened on 127.0.0.1:${port}: this port is in use; set OPS_PORT to a free one`,
    );
    await close();
  });

  it('is refused after the busy time-out if another process serves the file', async () => {
    const first = await service.start();
    const startedAt = performance.now();
    expect(await refusal({})).toContain('another process holds it (waited 5 s)');
    expect(performance.now() - startedAt).toBeGreaterThan(4_500);
    expect((await fetch(`${first.origin}/api/v1/health`)).status).toBe(200);
  });

  it('says that the process before it was killed, and nothing after a stop', async () => {
    const killed = await service.start();
    killed.child.kill('SIGKILL');
    await killed.exited;
    const event = 'previous_process_killed';
    const next = await service.start();
    expect(next.log()).toContainEqual(expect.objectContaining({ level: 'warn', event }));
    await next.stop();
    expect((await service.start()).output()).not.toContain(event);
  });

  it('that waits for a process which stops does not take it for killed, and marks its own writes', async () => {
    const create = (origin: string) =>
      fetch(`${origin}/api/v1/customers`, {
        method: 'POST',
        headers: { Authorization: bearer('a').slice('Authorization: '.length) },
        body: '{"name":"a","phone":"1"}',
      });
    const first = await service.start();
    expect((await create(first.origin)).status).toBe(201);
    const starting = service.start();
    // Long enough for the second one to wait for the lock.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await first.stop();
    const second = await starting;
    expect(second.output()).not.toContain('previous_process_killed');
    expect((await create(second.origin)).status).toBe(201);
    expect(await readdir(service.folder)).toContain('service.db-open');
  });

  it.each([
    ['127.0.0.1', '127.0.0.2', {}] as const,
    // Only Linux has the whole of 127.0.0.0/8.
    ...(process.platform === 'linux'
      ? [['127.0.0.2', '127.0.0.1', { HOST: '127.0.0.2' }] as const]
      : []),
  ])('listens on %s and on no other address', async (address, elsewhere, environment) => {
    // A listener on every address could not have the port that this one has on another address.
    const port = await freePort();
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(port, elsewhere, resolve));
    const server = await service.start({ ...environment, PORT: String(port) });
    holder.close();
    expect(server.origin).toBe(`http://${address}:${port}`);
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
  });

  it('creates the folder and the file for its own user only', async () => {
    const folder = join(service.folder, 'new');
    await service.start({ DATABASE_URL: `file:${folder}/deep/service.db` });
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect([await mode(folder), await mode(join(folder, 'deep'))]).toEqual(['700', '700']);
    const files = await readdir(join(folder, 'deep'));
    expect(files).toContain('service.db');
    for (const file of files) expect(await mode(join(folder, 'deep', file))).toBe('600');
  });
});

/** Runs `--check`. `found`: what each look found, or the sentence of its failure. */
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
  it('passes before the first start, says what it looked at, and creates no file', async () => {
    const { code, found, others } = await check();
    expect(Object.entries(found)).toEqual([
      ['settings', 'valid'],
      ['database', 'absent: a start creates it'],
      ['backups', 'none: BACKUP_DIR is unset'],
      ['replica', 'none: REPLICATION is off'],
      ['operations port', 'none: OPS_PORT is unset'],
      ['port', '127.0.0.1:0: a start picks one'],
      ['identity provider', 'not asked; --online asks it'],
    ]);
    expect([code, others]).toMatchObject([0, [{ event: 'check_passed', looks: 7 }]]);
    expect(await readdir(service.folder)).toEqual([]);
  });

  it('passes beside a running service, and disturbs nothing', async () => {
    const server = await service.start();
    const { events, found } = await check({ PORT: new URL(server.origin).port });
    expect(events).toEqual(['check_passed']);
    expect(found['database']).toMatch(/^in use by another process/);
    expect(found['port']).toMatch(/ is in use, as the service is running$/);
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect((await check()).found['database']).toMatch(/^usable/);
  });

  it.each([
    ['settings', { PORT: 'x' }, 'PORT is "x"; it must be'],
    ['settings', { REPLICATON: 'sync' }, 'unknown setting REPLICATON; ignored'],
    ['settings', { ADMIN_API_KEY: 'short' }, 'the administration API stays disabled'],
    ['database', { DATABASE_URL: 'file:/dev/null/x/y.db' }, 'y.db cannot be used'],
    [
      'backups',
      { BACKUP_DIR: '/nope' },
      'backups /nope cannot be used: there is no such file or folder; check',
    ],
    ['port', { HOST: '192.0.2.1' }, 'the address is not on this machine; set HOST'],
  ])('fails at the look at the %s with %j', async (what, environment, sentence) => {
    const { code, found, others } = await check(environment);
    expect(found[what]).toContain(sentence);
    expect([code, others]).toMatchObject([1, [{ event: 'check_failed', error: found[what] }]]);
  });

  it('fails if a port is taken, also by the other setting, and goes on to the other looks', async () => {
    const { port, close } = await onLoopback(createServer());
    const taken = await check({ OPS_PORT: String(port) });
    await close();
    expect(taken.found['operations port']).toContain('this port is in use; set OPS_PORT');
    expect(taken.found['identity provider']).toBe('not asked; --online asks it');
    const free = String(await freePort());
    const same = await check({ PORT: free, OPS_PORT: free });
    expect(same.found['operations port']).toBe(`127.0.0.1:${free} is free`);
    expect(same.found['port']).toContain('this port is in use; set PORT');
  });

  it('asks the identity provider with --online', async () => {
    const look = 'identity provider';
    const fit = await check({}, '--online');
    expect([fit.code, fit.found[look]]).toEqual([0, 'a made-up token is refused']);
    const away = await check({ AUTH_USERINFO_URL: 'http://127.0.0.1:9/' }, '--online');
    expect(away.code).toBe(1);
    expect(away.found[look]).toMatch(
      /^the identity provider did not refuse a made-up token: ECONNREFUSED; check/,
    );
  });
});

it('A start warns of settings that may be mistakes', async () => {
  const server = await service.start({
    AUTH_USERINFO_URL: '',
    AUTH_USERINFO_ULR: 'https://hush.example',
    ADMIN_API_KEY: 'hush',
  });
  const warnings = server.log().flatMap(({ level, event }) => (level === 'warn' ? [event] : []));
  expect(warnings.filter((event) => !/^process|^database/.test(event)).sort()).toEqual([
    'admin_key_too_short',
    'identity_provider_not_configured',
    'setting_unknown',
  ]);
  expect(server.output()).not.toContain('hush');
});

it('ADMIN_API_KEY_FILE holds two keys while the key is rotated, and both are taken', async () => {
  const [key, file] = ['k'.repeat(32), join(service.folder, 'keys')];
  await writeFile(file, `${key}\r\n${key}new\n\n`);
  const server = await service.start({ ADMIN_API_KEY_FILE: file });
  const statuses = [key, `${key}new`, `${key}ne`, ''].map(async (sent) => {
    const headers = { 'X-Service-Admin-Key': sent };
    return (await fetch(`${server.origin}/api/v1/admin/overview`, { headers })).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401]);
  await server.stop();
});
