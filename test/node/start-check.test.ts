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
import { type LogLine, spawnServer } from '../support/server-process.js';

const KEY = 'k'.repeat(32);

let service: NodeService;
let database: string;

beforeEach(async () => {
  service = await openNodeService();
  database = join(service.folder, 'service.db');
});
afterEach(() => service.close());

interface Checked {
  readonly code: unknown;
  readonly log: LogLine[];
}

/** Runs `--check`. */
async function check(environment: Environment = {}, ...more: string[]): Promise<Checked> {
  const run = spawnServer(
    { ...service.environment, ...environment },
    { args: ['--check', ...more] },
  );
  return { code: await run.exited, log: run.log() };
}

/** The line with the result. Two streams: it need not be the last one that arrived. */
function endOf(log: readonly LogLine[]): LogLine | undefined {
  return log.find(({ event }) => event === 'check_passed' || event === 'check_failed');
}

/** What was found at a look, or the sentence of its failure. */
function foundAt(what: string, { log }: Checked): unknown {
  const line = log.find((candidate) => candidate['what'] === what);
  return line?.['found'] ?? line?.['error'];
}

function eventsOf({ log }: { log: LogLine[] }): string[] {
  return log.map(({ event }) => event).filter((event) => event !== 'checked');
}

describe('A check', () => {
  it('passes before the first start, says what it looked at, and creates no file', async () => {
    const { code, log } = await check();
    const looks = log.filter(({ event }) => event === 'checked');
    expect(looks.map(({ what, result, found }) => [what, result, found])).toEqual([
      ['settings', 'ok', 'all can be used'],
      ['names of settings', 'ok', 'none is misspelled'],
      ['admin key', 'ok', 'unset: the administration API answers 503'],
      ['database', 'ok', 'absent: a start creates it'],
      ['backups', 'ok', 'none: BACKUP_DIR is unset'],
      ['replica', 'ok', 'none: REPLICATION is off'],
      ['operations port', 'ok', 'none: OPS_PORT is unset'],
      ['port', 'ok', '127.0.0.1:0: a start picks one'],
      ['identity provider', 'ok', 'not asked; --online asks it'],
    ]);
    expect([code, endOf(log)]).toMatchObject([0, { event: 'check_passed', looks: looks.length }]);
    await expect(stat(database)).rejects.toThrow('ENOENT');
  });

  it('passes beside a running service, and disturbs nothing', async () => {
    const server = await service.start();
    const checked = await check({ PORT: new URL(server.origin).port });
    expect(endOf(checked.log)?.event).toBe('check_passed');
    expect(foundAt('database', checked)).toMatch(/^in use by another process/);
    expect(foundAt('port', checked)).toMatch(/ is in use, as the service is running$/);
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  it.each([
    ['a setting that cannot be used', { PORT: 'x' }, 'PORT is "x"; it must be'],
    [
      'a folder that cannot be made',
      { DATABASE_URL: 'file:/dev/null/x/y.db' },
      'y.db cannot be used',
    ],
  ])('fails for %s with one line', async (_, environment, sentence) => {
    const { code, log } = await check(environment);
    expect([code, endOf(log)?.event]).toEqual([1, 'check_failed']);
    expect(endOf(log)?.['error']).toContain(sentence);
  });

  it.each([
    ['names of settings', { REPLICATON: 'sync' }, 'unknown setting REPLICATON; ignored'],
    ['admin key', { ADMIN_API_KEY: 'short' }, 'the administration API stays disabled;'],
    ['backups', { BACKUP_DIR: '/nope' }, 'backups /nope cannot be used: no such folder; make it'],
    ['backups', { BACKUP_DIR: '/dev/null' }, 'a file is in the place of the folder; name a folder'],
    ['port', { HOST: '192.0.2.1' }, 'the address is not on this machine; set HOST'],
  ])('fails at the look at the %s with %j', async (what, environment, sentence) => {
    const checked = await check(environment);
    expect(checked.code).toBe(1);
    expect(foundAt(what, checked)).toContain(sentence);
    expect(endOf(checked.log)).toMatchObject({
      event: 'check_failed',
      error: foundAt(what, checked),
    });
  });

  it('fails where a port is taken, and goes on to the other looks', async () => {
    const { port, close } = await onLoopback(createServer());
    const checked = await check({ PORT: String(port), OPS_PORT: String(port) });
    await close();
    expect(checked.code).toBe(1);
    expect(foundAt('operations port', checked)).toContain(
      'another program has this port; set OPS_',
    );
    expect(foundAt('port', checked)).toContain('another program has this port; set PORT');
    expect(foundAt('identity provider', checked)).toBe('not asked; --online asks it');
  });

  it('fails where the service and its operations would have the same port', async () => {
    const port = String(await freePort());
    const checked = await check({ PORT: port, OPS_PORT: port });
    expect(foundAt('operations port', checked)).toBe(`127.0.0.1:${port} is free`);
    expect(foundAt('port', checked)).toContain('another program has this port');
  });

  it('asks the identity provider with --online', async () => {
    const fit = await check({}, '--online');
    expect([fit.code, foundAt('identity provider', fit)]).toEqual([
      0,
      'a made-up token is refused with status 401',
    ]);
    const issuer = `${new URL(service.identity.url).origin}/`;
    const unfit = await check({ AUTH_USERINFO_URL: '', AUTH_ISSUER: issuer }, '--online');
    expect(unfit.code).toBe(1);
    expect(foundAt('identity provider', unfit)).toMatch(/^the identity provider: .*; set AUTH_ISS/);
    const away = await check({ AUTH_USERINFO_URL: 'http://127.0.0.1:9/' }, '--online');
    expect(foundAt('identity provider', away)).toMatch(/; check that the provider is up/);
  });
});

describe('A start', () => {
  it('warns of a file that others may read', async () => {
    await (await service.start()).stop();
    await chmod(database, 0o644);
    const server = await service.start();
    expect(server.log()).toContainEqual(
      expect.objectContaining({ event: 'database_readable_by_others', mode: '0644' }),
    );
    await server.stop();
    await chmod(database, 0o600);
    expect(eventsOf(await check())).toEqual(['check_passed']);
  });

  it('warns of a misspelled name and of dangerous values', async () => {
    const server = await service.start({
      AUTH_USERINFO_ULR: 'https://hush.example',
      AUTH_SUBJECT_FIELD: 'email',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    });
    expect(eventsOf({ log: server.log() })).toEqual(
      expect.arrayContaining([
        'setting_unknown',
        'subject_is_an_address',
        'certificates_not_checked',
      ]),
    );
    expect(server.output()).toContain('unknown setting AUTH_USERINFO_ULR; ignored');
    expect(server.output()).not.toContain('hush');
    await server.stop();
  });
});

describe('ADMIN_API_KEY_FILE', () => {
  const ask = (origin: string, key: string) =>
    fetch(`${origin}/api/v1/admin/overview`, { headers: { 'X-Service-Admin-Key': key } });

  it('holds two keys while the key is rotated, and both are taken', async () => {
    const file = join(service.folder, 'keys');
    await writeFile(file, `${KEY}\r\n${KEY}new\n\n`);
    const server = await service.start({ ADMIN_API_KEY_FILE: file });
    for (const [key, status] of [
      [KEY, 200],
      [`${KEY}new`, 200],
      [`${KEY}ne`, 401],
      ['', 401],
    ] as const) {
      expect((await ask(server.origin, key)).status).toBe(status);
    }
    await server.stop();
  });
});
