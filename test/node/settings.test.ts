// The environment as settings, and the one sentence with which a setting that
// cannot be used ends the start. test/pages/settings has the operators' table.

import { describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../src/hosts/settings/warnings.js';
import { readSettings, settingWarnings } from '../../src/hosts/settings.js';
import { expectRefused, refusalOf, warningsOf } from '../support/refused-setting.js';

const USERINFO = 'https://id.example.com/userinfo';

it('has a default for every setting', () => {
  expect(readSettings({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    databasePath: 'data/service.db',
    postgresUrl: undefined,
    databaseCreate: false,
    sampleRecords: true,
    signIn: undefined,
    adminKey: undefined,
    corsAllowedOrigins: [],
    backups: undefined,
    accountLimits: { maxBytes: 0, maxRecords: 0 },
    erasureLedger: undefined,
    operations: { port: undefined, requestLog: undefined },
    replication: undefined,
  });
});

it('takes an empty variable for an unset one', () => {
  const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']));
  expect(readSettings(empty)).toEqual(readSettings({}));
});

it('reads every setting', () => {
  const settings = readSettings({
    HOST: '0.0.0.0',
    PORT: '9000',
    DATABASE_CREATE: 'yes',
    SAMPLE_RECORDS: 'off',
    DATABASE_URL: 'file:elsewhere.db',
    AUTH_USERINFO_URL: USERINFO,
    AUTH_USERINFO_HEADERS: '{"apikey":"k"}',
    AUTH_USERINFO_METHOD: 'POST',
    AUTH_SUBJECT_FIELD: 'user.id',
    AUTH_ISSUER: 'https://id.example.com/realms/shop',
    AUTH_JWKS_URL: 'https://id.example.com/keys',
    AUTH_AUDIENCE: 'shop, https://api.example.com',
    AUTH_CACHE_SECONDS: '60',
    ADMIN_API_KEY: 'k'.repeat(32),
    CORS_ALLOWED_ORIGINS: 'https://a.example, https://b.example',
    BACKUP_DIR: '/backups',
    BACKUP_INTERVAL_HOURS: '6',
    BACKUP_KEEP: '28',
    ACCOUNT_MAX_BYTES: '5000000',
    ACCOUNT_MAX_RECORDS: '900',
    OPS_PORT: '9001',
    OPS_HOST: '10.0.0.5',
    REQUEST_LOG: 'slow',
    SLOW_REQUEST_MS: '250',
  });
  expect(settings).toEqual({
    host: '0.0.0.0',
    port: 9000,
    databasePath: 'elsewhere.db',
    postgresUrl: undefined,
    databaseCreate: true,
    sampleRecords: false,
    signIn: {
      userinfo: 'on',
      userinfoUrl: USERINFO,
      headers: { apikey: 'k' },
      method: 'POST',
      subjectField: 'user.id',
      issuer: 'https://id.example.com/realms/shop',
      jwksUrl: 'https://id.example.com/keys',
      audiences: ['shop', 'https://api.example.com'],
      cacheSeconds: 60,
    },
    adminKey: 'k'.repeat(32),
    corsAllowedOrigins: ['https://a.example', 'https://b.example'],
    backups: { folder: '/backups', intervalHours: 6, keep: 28 },
    accountLimits: { maxBytes: 5_000_000, maxRecords: 900 },
    operations: {
      port: { host: '10.0.0.5', port: 9001 },
      requestLog: { choice: 'slow', slowMs: 250 },
    },
    erasureLedger: undefined,
    replication: undefined,
  });
});

it('accepts BACKUP_DIR alone: one backup a day, seven kept', () => {
  const wanted = { folder: 'backups', intervalHours: 24, keep: 7 };
  expect(readSettings({ BACKUP_DIR: 'backups' }).backups).toEqual(wanted);
});

it.each([
  ['BACKUP_INTERVAL_HOURS', '24'],
  ['BACKUP_KEEP', '7'],
])('refuses %s=%s without a folder for the backups', (name, text) => {
  expect(refusalOf({ [name]: text }).message).toBe(
    `BACKUP_DIR is unset; it must be the folder for the backups that ${name} asks for`,
  );
});

it.each([
  ['PORT', '0', { port: 0 }],
  ['PORT', '65535', { port: 65_535 }],
  ['BACKUP_INTERVAL_HOURS', '0', { backups: undefined }],
  ['DATABASE_URL', 'file:data.db', { databasePath: 'data.db' }],
  ['DATABASE_URL', 'file:./a/../data.db', { databasePath: './a/../data.db' }],
  ['DATABASE_URL', 'file:/var/lib/data.db', { databasePath: '/var/lib/data.db' }],
  ['DATABASE_URL', 'file:///var/lib/data.db', { databasePath: '/var/lib/data.db' }],
  ['DATABASE_URL', 'file:my%20data%3F.db', { databasePath: 'my data?.db' }],
  ['CORS_ALLOWED_ORIGINS', '*', { corsAllowedOrigins: ['*'] }],
  [
    'CORS_ALLOWED_ORIGINS',
    'http://localhost:5173',
    { corsAllowedOrigins: ['http://localhost:5173'] },
  ],
  [
    'CORS_ALLOWED_ORIGINS',
    ' https://a.example ,, *,',
    { corsAllowedOrigins: ['https://a.example', '*'] },
  ],
])('takes %s=%s', (name, text, wanted) => {
  expect(readSettings({ [name]: text })).toMatchObject(wanted);
});

const PORT = 'a whole number from 0 to 65535';
const FILE =
  'a local file such as file:data/service.db (one process owns the file), or postgres://user:password@host:5432/service for several processes (with %23 for a # in the password, %2F for a /)';
const ORIGINS = 'comma-separated origins such as https://app.example.com, without a path, or *';

it.each([
  ['PORT', '65536', '"65536"', PORT],
  ['PORT', '-1', '"-1"', PORT],
  ['PORT', '80a', '"80a"', PORT],
  ['PORT', ' 80', '" 80"', PORT],
  ['PORT', '8e3', '"8e3"', PORT],
  ['PORT', '80.5', '"80.5"', PORT],
  ['PORT', '٣', '"٣"', PORT],
  ['PORT', '80\n{"level":"info"}', String.raw`"80\n{\"level\":\"info\"}"`, PORT],
  ['BACKUP_INTERVAL_HOURS', '8761', '"8761"', 'a whole number from 0 to 8760'],
  ['BACKUP_INTERVAL_HOURS', '0.5', '"0.5"', 'a whole number from 0 to 8760'],
  ['SAMPLE_RECORDS', 'no', '"no"', 'on or off'],
  ['BACKUP_KEEP', '0', '"0"', 'a whole number from 1 to 10000'],
  ['DATABASE_URL', 'libsql://db.example', 'a libsql URL (hidden)', FILE],
  ['DATABASE_URL', 'mysql://u:canary@db/x', 'a mysql URL (hidden)', FILE],
  ['DATABASE_URL', 'data/service.db', 'no URL (hidden)', FILE],
  ['DATABASE_URL', 'postgres://u:can#ary@db/x', 'a postgres URL (hidden)', FILE],
  ['DATABASE_URL', 'db.example?authToken=canary', 'no URL (hidden)', FILE],
  ['DATABASE_URL', '//u:canary@db', 'no URL (hidden)', FILE],
  ['DATABASE_URL', ':memory:', 'no URL (hidden)', FILE],
  ['DATABASE_URL', 'file:', '"file:"', FILE],
  ['DATABASE_URL', 'file::memory:', '"file::memory:"', FILE],
  ['DATABASE_URL', 'file:a.db?authToken=canary', '"file:a.db?(hidden)"', FILE],
  ['DATABASE_URL', 'file:a.db#canary', '"file:a.db#(hidden)"', FILE],
  ['DATABASE_URL', 'file://host/a.db', '"file://host/a.db"', FILE],
  ['DATABASE_URL', 'file://u:canary@host/a.db', '"file://(hidden)@host/a.db"', FILE],
  ['DATABASE_URL', 'file:a%zz.db', '"file:a%zz.db"', FILE],
  ['DATABASE_URL', 'file:a%00b.db', '"file:a%00b.db"', FILE],
  ['CORS_ALLOWED_ORIGINS', 'app.example.com', '"app.example.com"', ORIGINS],
  ['CORS_ALLOWED_ORIGINS', 'https://a.example/', '"https://a.example/"', ORIGINS],
  ['CORS_ALLOWED_ORIGINS', 'https://A.example', '"https://A.example"', ORIGINS],
  ['CORS_ALLOWED_ORIGINS', 'https://*.example', '"https://*.example"', ORIGINS],
  [
    'CORS_ALLOWED_ORIGINS',
    '*, https://u:canary@a.example',
    '"*, https://(hidden)@a.example"',
    ORIGINS,
  ],
  // Not "unset": an empty list must not mean "every origin".
  ['CORS_ALLOWED_ORIGINS', ' , ', '" , "', ORIGINS],
])('refuses %s=%j in one sentence without secrets', expectRefused);

it('warns when no identity provider is configured', () => {
  expect(warningsOf({})).toEqual(['identity_provider_not_configured']);
});

it('warns of an admin key that is too short, without the key', () => {
  const environment = { AUTH_USERINFO_URL: USERINFO, ADMIN_API_KEY: 'canary'.padEnd(31, '-') };
  const warnings = settingWarnings(readSettings(environment));
  expect(warnings.map(({ event }) => event)).toEqual(['admin_key_too_short']);
  expect(JSON.stringify(warnings)).not.toContain('canary');
});

describe('REPLICATION', () => {
  it.each([
    ['off', undefined],
    ['async', { socketPath: '/var/run/litestream.sock' }],
    ['async:/run/litestream/it.sock', { socketPath: '/run/litestream/it.sock' }],
  ])('may be %s', (REPLICATION, wanted) => {
    expect(readSettings({ REPLICATION }).replication).toEqual(wanted);
  });

  it.each(['on', 'sync', 'async:', `async:/${'x'.repeat(107)}`])(
    '%s is refused, with what gives the promise of sync',
    (REPLICATION) => {
      expect(refusalOf({ REPLICATION }).message).toBe(
        `REPLICATION is "${REPLICATION}"; it must be off, async, or async: with a path of at most 107 bytes (sync is gone: to lose no acknowledged write with a machine, use Postgres with a synchronous standby)`,
      );
    },
  );
});

describe('The operations port', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '::1',
    '172.16.0.1',
    '192.168.1.9',
    '100.64.0.1',
    'fd12:3456::1',
  ])('listens on %s', (OPS_HOST) => {
    expect(readSettings({ OPS_PORT: '1', OPS_HOST }).operations.port?.host).toBe(OPS_HOST);
  });

  it.each(['0.0.0.0', '::', '8.8.8.8', '172.32.0.1', '192.168.1.256', '10.example.com'])(
    'refuses %s, where others could reach it',
    (OPS_HOST) => {
      expect(refusalOf({ OPS_HOST }).message).toMatch(/^OPS_HOST is ".*"; it must be a loopback/);
    },
  );
});

const KEY = 'canary'.padEnd(32, '-');

it.each([
  ['beside ADMIN_API_KEY', KEY, { ADMIN_API_KEY: KEY }, 'set beside ADMIN_API_KEY'],
  ['with three keys', `${KEY}\n${KEY}\n${KEY}`, {}, 'which has 3 keys; it must be a readable'],
  ['that is empty', '\n', {}, 'which has 0 keys'],
  ['with a key that no header can hold', `${KEY}é`, {}, 'in printable ASCII'],
])('refuses an ADMIN_API_KEY_FILE %s', (_, text, more, sentence) => {
  const { message } = refusalOf({ ADMIN_API_KEY_FILE: '/keys', ...more }, () => text);
  expect(message).toContain(sentence);
  expect(message).not.toContain('canary');
});

it('refuses an ADMIN_API_KEY_FILE that cannot be read', () => {
  const gone = Object.assign(new Error('gone'), { code: 'ENOENT' });
  const read = () => {
    throw gone;
  };
  expect(refusalOf({ ADMIN_API_KEY_FILE: '/keys' }, read).message).toContain('(ENOENT)');
});

it('tells every setting that cannot be used, in one line', () => {
  const { message } = refusalOf({ PORT: '80a', REQUEST_LOG: 'yes', ADMIN_API_KEY: ' canary' });
  expect(message).toBe(
    'PORT is "80a"; it must be a whole number from 0 to 65535. ADMIN_API_KEY is (hidden); it must be printable ASCII without spaces at its ends. REQUEST_LOG is "yes"; it must be off, slow or all',
  );
});
