// `node dist/server.js --check`, and what a start warns of: settings and a file
// that can be used and are hardly meant.

import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { environmentWarnings } from '../../src/setting-warnings.js';
import { SETTING_NAMES } from '../../src/settings/setting-names.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { type Environment, type LogLine, spawnServer } from '../support/server-process.js';

const KEY = 'k'.repeat(32);
const SERVER = new URL('../../dist/server.js', import.meta.url).pathname;

let service: NodeService;
let database: string;

beforeEach(async () => {
  service = await openNodeService();
  database = join(service.folder, 'service.db');
});
afterEach(() => service.close());

/** Runs `--check`; the launcher's own arguments end where the script begins. */
async function check(environment: Environment = {}): Promise<{ code: unknown; log: LogLine[] }> {
  const { exited, log } = spawnServer({ ...service.environment, ...environment }, '--check', [
    process.execPath,
    '--input-type=module',
    '--eval',
    RUN,
  ]);
  return { code: await exited, log: log() };
}

/** As `node dist/server.js --check`: the test's launcher puts Node and "script" behind. */
const RUN = `process.argv = [process.argv[0], ${JSON.stringify(SERVER)}, '--check']; await import(${JSON.stringify(SERVER)});`;

function eventsOf({ log }: { log: LogLine[] }): string[] {
  return log.map(({ event }) => event);
}

describe('A check', () => {
  it('passes before the first start, and creates no file', async () => {
    const { code, log } = await check();
    expect([code, log.at(-1)]).toEqual([
      0,
      {
        time: expect.any(String),
        level: 'info',
        event: 'check_passed',
        database: 'absent',
        replication: 'off',
      },
    ]);
    await expect(stat(database)).rejects.toThrow('ENOENT');
  });

  it('passes on a usable file, and does not change it', async () => {
    await (await service.start()).stop();
    const bytes = await readFile(database);
    const { code, log } = await check();
    expect([code, log.at(-1)]).toMatchObject([0, { database: 'usable' }]);
    expect((await readFile(database)).equals(bytes)).toBe(true);
  });

  it('passes beside a running service, and disturbs nothing', async () => {
    const server = await service.start();
    expect((await check()).log.at(-1)).toMatchObject({ event: 'check_passed', database: 'held' });
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
    expect([code, log.at(-1)?.event]).toEqual([1, 'check_failed']);
    expect(log.at(-1)?.['error']).toContain(sentence);
  });

  it('fails for a file with a foreign schema', async () => {
    await (await service.start()).stop();
    await runSql(database, 'create view more as select 1');
    const { code, log } = await check();
    expect([code, log.at(-1)?.['error']]).toEqual([1, expect.stringContaining('the view "more"')]);
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
    expect(server.output()).toContain('AUTH_USERINFO_ULR is no setting');
    expect(server.output()).not.toContain('hush');
    await server.stop();
  });
});

describe('A name that looks like a setting', () => {
  it.each([
    ['AUTH_USERINFO_ULR', 'AUTH_USERINFO_URL'],
    ['AUTH_USER_INFO_URL', 'AUTH_USERINFO_URL'],
    ['ADMIN_KEY', 'ADMIN_API_KEY'],
    ['ADMIN_API_KEYFILE', 'ADMIN_API_KEY_FILE'],
    ['CORS_ALLOWED_ORIGIN', 'CORS_ALLOWED_ORIGINS'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['BACKUP_DIRECTORY', 'BACKUP_DIR'],
    ['OPS_PROT', 'OPS_PORT'],
    ['ACCOUNT_MAX_BYTE', 'ACCOUNT_MAX_BYTES'],
  ])('%s is named with the nearest, %s', (name, near) => {
    const [warning] = environmentWarnings({ [name]: 'hush' });
    expect(warning?.hint).toBe(
      `${name} is no setting and does nothing; the nearest one is ${near}`,
    );
  });

  it('causes no warning when it is a real setting, empty, or of another program', () => {
    const all = Object.fromEntries(SETTING_NAMES.map((name) => [name, 'x']));
    expect(environmentWarnings({ ...all, AUTH_X: '', PATH: 'x', AUTHOR: 'x' })).toEqual([]);
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

  it.each([
    ['is set beside ADMIN_API_KEY', KEY, { ADMIN_API_KEY: KEY }, 'set beside ADMIN_API_KEY'],
    ['has three keys', `${KEY}\n${KEY}\n${KEY}`, {}, 'which has 3 keys; it must be a readable'],
    ['is empty', '\n', {}, 'which has 0 keys'],
    ['has a key that no header can hold', `${KEY}é`, {}, 'is (hidden); it must be printable'],
  ])('ends the start when it %s', async (_, text, more, sentence) => {
    const file = join(service.folder, 'keys');
    await writeFile(file, text);
    const { code, log } = await check({ ADMIN_API_KEY_FILE: file, ...more });
    expect([code, log.at(-1)?.['error']]).toEqual([1, expect.stringContaining(sentence)]);
    expect(JSON.stringify(log)).not.toContain(KEY);
  });

  it('ends the start when it is missing', async () => {
    const { code, log } = await check({ ADMIN_API_KEY_FILE: join(service.folder, 'none') });
    expect([code, log.at(-1)?.['error']]).toEqual([1, expect.stringContaining('(ENOENT)')]);
  });
});
