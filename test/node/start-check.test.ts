// `node dist/server.js --check`, and what a start warns of: settings and a file
// that can be used and are hardly meant.

import { chmod, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { onLoopback } from '../support/loopback.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import type { Environment } from '../support/program.js';
import { spawnServer } from '../support/server-process.js';

let service: NodeService;
let database: string;

beforeEach(async () => {
  service = await openNodeService();
  database = join(service.folder, 'service.db');
});
afterEach(() => service.close());

/** Runs `--check`. `found`: what each look found, or the sentence of its failure. */
async function check(environment: Environment = {}, ...more: string[]) {
  const all = { ...service.environment, ...environment };
  const run = spawnServer(all, { args: ['--check', ...more] });
  const code = await run.exited;
  const looks = run.log().filter(({ event }) => event === 'checked');
  const found = Object.fromEntries(
    looks.map((line) => [String(line['what']), line['found'] ?? line['error']]),
  );
  // Two streams: the result need not be the last line that arrived.
  const others = run.log().filter(({ event }) => event !== 'checked');
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
    await expect(stat(database)).rejects.toThrow('ENOENT');
  });

  it('passes beside a running service, and disturbs nothing', async () => {
    const server = await service.start();
    const { events, found } = await check({ PORT: new URL(server.origin).port });
    expect(events).toEqual(['check_passed']);
    expect(found['database']).toMatch(/^in use by another process/);
    expect(found['port']).toMatch(/ is in use, as the service is running$/);
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  it.each([
    ['settings', { PORT: 'x' }, 'PORT is "x"; it must be'],
    ['settings', { REPLICATON: 'sync' }, 'unknown setting REPLICATON; ignored'],
    ['settings', { ADMIN_API_KEY: 'short' }, 'the administration API stays disabled;'],
    ['database', { DATABASE_URL: 'file:/dev/null/x/y.db' }, 'y.db cannot be used'],
    ['backups', { BACKUP_DIR: '/nope' }, 'backups /nope cannot be used: no such folder; make it'],
    ['backups', { BACKUP_DIR: '/dev/null' }, 'a file is in the place of the folder; name a folder'],
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
    expect(taken.code).toBe(1);
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
    expect([fit.code, fit.found[look]]).toEqual([0, 'a made-up token is refused with status 401']);
    const issuer = `${new URL(service.identity.url).origin}/`;
    const unfit = await check({ AUTH_USERINFO_URL: '', AUTH_ISSUER: issuer }, '--online');
    expect(unfit.code).toBe(1);
    expect(unfit.found[look]).toMatch(/^the identity provider: .*; set AUTH_ISS/);
    const away = await check({ AUTH_USERINFO_URL: 'http://127.0.0.1:9/' }, '--online');
    expect(away.found[look]).toMatch(/; check that the provider is up/);
  });
});

it('A start warns of a file that others may read, a misspelled name and dangerous values', async () => {
  await (await service.start()).stop();
  await chmod(database, 0o644);
  const server = await service.start({
    AUTH_USERINFO_ULR: 'https://hush.example',
    AUTH_SUBJECT_FIELD: 'email',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  expect(server.log().map(({ event }) => event)).toEqual(
    expect.arrayContaining([
      'database_readable_by_others',
      'setting_unknown',
      'subject_is_an_address',
      'certificates_not_checked',
    ]),
  );
  expect(server.output()).toContain('unknown setting AUTH_USERINFO_ULR; ignored');
  expect(server.output()).not.toContain('hush');
  await server.stop();
  await chmod(database, 0o600);
  expect((await check()).events).toEqual(['check_passed']);
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
