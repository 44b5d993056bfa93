// Settings from the environment, the errors for invalid settings, which end the start, and
// misspelled names. test/pages/settings has the operators' table.

import { expect, it } from 'vitest';
import { SETTINGS, type SettingName } from '../../src/hosts/settings/schema.js';
import { misspelledNames, SETTING_NAMES } from '../../src/hosts/settings/warnings.js';
import { readSettings } from '../../src/hosts/settings.js';
import { expectBadSetting, refusalOf } from '../support/refused-setting.js';

const POSTGRES = 'postgres://u:canary@db/x';

const DEFAULTS = {
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
  operations: { port: undefined, requestLog: undefined },
  replication: undefined,
};

it('Unset and empty variables have defaults', () => {
  expect(readSettings({})).toEqual(DEFAULTS);
  expect(readSettings(Object.fromEntries(SETTING_NAMES.map((name) => [name, ''])))).toEqual(
    DEFAULTS,
  );
});

/** One row each: variables, and the settings that they change. test/identity has those of sign-in. */
it.each<[string, object]>([
  ['HOST=0.0.0.0 PORT=65535', { host: '0.0.0.0', port: 65_535 }],
  ['PORT=0', { port: 0 }],
  ['DATABASE_CREATE=yes SAMPLE_RECORDS=off', { databaseCreate: true, sampleRecords: false }],
  ['DATABASE_URL=file:data.db', { databasePath: 'data.db' }],
  ['DATABASE_URL=file:./a/../data.db', { databasePath: './a/../data.db' }],
  ['DATABASE_URL=file:/var/lib/data.db', { databasePath: '/var/lib/data.db' }],
  ['DATABASE_URL=file:///var/lib/data.db', { databasePath: '/var/lib/data.db' }],
  ['DATABASE_URL=file:my%20data%3F.db', { databasePath: 'my data?.db' }],
  [`DATABASE_URL=${POSTGRES} REPLICATION=off`, { databasePath: '', postgresUrl: POSTGRES }],
  ['ADMIN_API_KEY=key', { adminKey: 'key' }],
  ['ADMIN_API_KEY_FILE=/keys', { adminKey: ['old', 'new'] }],
  ['CORS_ALLOWED_ORIGINS=*', { corsAllowedOrigins: ['*'] }],
  [
    'CORS_ALLOWED_ORIGINS=capacitor://localhost,ionic://localhost,tauri://localhost',
    { corsAllowedOrigins: ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost'] },
  ],
  ['CORS_ALLOWED_ORIGINS=http://a:5173,,*,', { corsAllowedOrigins: ['http://a:5173', '*'] }],
  ['BACKUP_DIR=b', { backups: { folder: 'b', intervalHours: 24, keep: 7 } }],
  [
    'BACKUP_DIR=/b BACKUP_INTERVAL_HOURS=6 BACKUP_KEEP=28',
    { backups: { folder: '/b', intervalHours: 6, keep: 28 } },
  ],
  ['BACKUP_INTERVAL_HOURS=0', {}],
  [
    'ACCOUNT_MAX_BYTES=5000000 ACCOUNT_MAX_RECORDS=900',
    { accountLimits: { maxBytes: 5_000_000, maxRecords: 900 } },
  ],
  ['REPLICATION=async', { replication: { socketPath: '/var/run/litestream.sock' } }],
  ['REPLICATION=async:/run/it.sock', { replication: { socketPath: '/run/it.sock' } }],
  ['REQUEST_LOG=all', { operations: { requestLog: { fromMs: 0 } } }],
  ['REQUEST_LOG=slow', { operations: { requestLog: { fromMs: 500 } } }],
  ...['127.0.0.1', 'localhost', '::1', '172.16.0.1', '192.168.1.9', '100.64.0.1', 'fd12:3456::1']
    // Addresses that the public can't reach.
    .map((host): [string, object] => [
      `OPS_PORT=9001 OPS_HOST=${host}`,
      { operations: { port: { host, port: 9001 } } },
    ]),
])('%s is accepted', (variables, changes) => {
  const environment = Object.fromEntries(variables.split(' ').map((text) => text.split(/=(.*)/)));
  const settings = readSettings(environment, () => 'old\r\n\nnew\n');
  expect(settings).toEqual({ ...DEFAULTS, ...changes, operations: expect.anything() });
  expect(settings).toMatchObject(changes);
});

/** What the error shows of each text: the text itself, if it has no secret. */
const shown = (name: SettingName, ...texts: string[]) =>
  texts.map((text) => [name, text, JSON.stringify(text)] as const);

it.each<readonly [name: SettingName, text: string, given: string]>([
  ...shown('PORT', '65536', '-1', '80a', ' 80', '8e3', '80.5', '٣', '80\n{"level":"info"}'),
  ...shown('BACKUP_INTERVAL_HOURS', '8761', '0.5'),
  ...shown('BACKUP_KEEP', '0'),
  ...shown('SAMPLE_RECORDS', 'no'),
  ...shown('REPLICATION', 'on', 'sync', 'async:'),
  ...shown('OPS_HOST', '0.0.0.0', '::', '8.8.8.8', '172.32.0.1', '192.168.1.256'),
  ['DATABASE_URL', 'mysql://u:1/canary@db/x', '"mysql://(hidden)@db/x"'],
  ['DATABASE_URL', 'postgres://u:can#ary@db/x', 'not a URL (hidden)'],
  ['DATABASE_URL', 'db.example?authToken=canary', 'not a URL (hidden)'],
  ['DATABASE_URL', ':memory:', 'not a URL (hidden)'],
  ['DATABASE_URL', 'file:a.db?authToken=canary', '"file:a.db?(hidden)"'],
  ['DATABASE_URL', 'file:a.db#canary', '"file:a.db#(hidden)"'],
  ...shown('DATABASE_URL', 'file:', 'file::memory:', 'file://host/a.db', 'file:a%zz.db'),
  ...shown('DATABASE_URL', 'file:a%00b.db', 'libsql://db.example'),
  // Not "unset": an empty list must not mean "every origin".
  ...shown('CORS_ALLOWED_ORIGINS', 'app.example.com', 'https://A.example', 'file:///', ' , '),
  ...shown('CORS_ALLOWED_ORIGINS', 'https://a.example/', 'https://*.example'),
  ['CORS_ALLOWED_ORIGINS', '*, https://u:canary@a.b', '"*, https://(hidden)@a.b"'],
])('A start refuses %s=%j in one sentence without secrets', (name, text, given) =>
  expectBadSetting(name, text, given, SETTINGS[name].wanted),
);

const KEY = 'canary'.padEnd(32, '-');

it.each([`${KEY}\n${KEY}\n${KEY}`, '\n', `${KEY}é`, undefined])(
  'A start refuses an ADMIN_API_KEY_FILE with %j in one sentence without a key',
  (text) => {
    const read = () => {
      if (text === undefined) throw new Error('gone');
      return text;
    };
    expect(refusalOf({ ADMIN_API_KEY_FILE: '/keys' }, read).message).toBe(
      'ADMIN_API_KEY_FILE is "/keys"; it must be a readable file with one or two keys in printable ASCII, one per line',
    );
  },
);

it('A start reports every invalid setting and every conflict in one line', () => {
  const single = { PORT: '80a', REQUEST_LOG: 'yes', ADMIN_API_KEY: ' canary' };
  const together = { DATABASE_URL: POSTGRES, DATABASE_CREATE: 'yes', BACKUP_KEEP: '7' };
  const { message } = refusalOf({ ...single, ...together, ADMIN_API_KEY_FILE: '/keys' });
  expect(message.split('. ')).toEqual([
    'PORT is "80a"; it must be a whole number from 0 to 65535',
    'ADMIN_API_KEY is (hidden); it must be printable ASCII without spaces at its ends',
    'ADMIN_API_KEY_FILE is "/keys"; it must be a readable file with one or two keys in printable ASCII, one per line',
    'REQUEST_LOG is "yes"; it must be off, slow or all',
    'ADMIN_API_KEY_FILE is set together with ADMIN_API_KEY; it must be unset, or the only one of the two',
    'BACKUP_DIR is unset; it must be the folder for the backups that BACKUP_INTERVAL_HOURS or BACKUP_KEEP asks for',
    'BACKUP_KEEP is set together with a postgres URL; it must be unset: Postgres has its own backups and standbys',
    'DATABASE_CREATE is set together with a postgres URL; it must be unset: Postgres has its own backups and standbys',
  ]);
  expect(refusalOf({ BACKUP_DIR: 'b', REPLICATION: 'async' }).message).toMatch(
    /^BACKUP_DIR is set/,
  );
});

/** Variables of shells, npm, containers and other programs. */
const OF_OTHERS =
  'PATH HOME HOSTNAME LISTEN_FDS npm_config_port NODE_ENV HTTP_PROXY OPS_SERVICE_HOST OPS_PORT_80_TCP DATABASE_SERVICE_PORT REDIS_HOST PGHOST SMTP_HOST DB_URL API_KEY APP_PORT PORTS HOSTS REQUEST_ID REPORT SERVER_URL SERVICE_NAME PUBLIC_URL DOCKER_HOST TEST_DATABASE_URL DATABASE_NAME ACCOUNT_ID';

it('A start warns about neither settings nor variables of other programs', () => {
  const environment = Object.fromEntries(
    [...OF_OTHERS.split(' '), ...SETTING_NAMES].map((name) => [name, 'x']),
  );
  expect(misspelledNames(environment)).toEqual([]);
});

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['BACKUPDIR', 'BACKUP_DIR'],
  ['REPLICAITON', 'REPLICATION'],
])('%s is reported with the intended setting, %s, and without its value', (name, setting) => {
  const hint = `unknown setting ${name}; ignored: did you mean ${setting}?`;
  expect(misspelledNames({ [name]: 'hush' })).toEqual([{ event: 'setting_unknown', hint }]);
});
