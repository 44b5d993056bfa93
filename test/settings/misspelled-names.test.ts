// Names of an environment that are probably meant for settings, and those of others,
// which cause no alarm.

import { describe, expect, it } from 'vitest';
import {
  misspelledNames,
  strangersAmongSettings,
} from '../../src/hosts/settings/misspelled-names.js';
import { SETTING_NAMES } from '../../src/hosts/settings/setting-names.js';

/** Variables of shells, desktops, systemd, npm, containers, Kubernetes and other programs. */
const OF_OTHERS = `
  PATH HOME USER LOGNAME SHELL TERM TZ LANG LC_ALL PWD OLDPWD SHLVL HOSTNAME HOSTTYPE OSTYPE EDITOR
  DISPLAY MAIL SSH_CLIENT SSH_AUTH_SOCK SUDO_USER TMPDIR XDG_RUNTIME_DIR _ LS_COLORS CI DEBUG
  INVOCATION_ID JOURNAL_STREAM LISTEN_FDS LISTEN_PID LISTEN_FDNAMES NOTIFY_SOCKET MAINPID
  CREDENTIALS_DIRECTORY STATE_DIRECTORY RUNTIME_DIRECTORY LOGS_DIRECTORY SYSTEMD_EXEC_PID
  MEMORY_PRESSURE_WATCH WATCHDOG_USEC WATCHDOG_PID
  npm_config_cache npm_package_name npm_lifecycle_event npm_config_port INIT_CWD NODE NODE_ENV
  NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED UV_THREADPOOL_SIZE
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY SSL_CERT_FILE
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT
  KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR KUBERNETES_PORT_443_TCP_PROTO
  OPS_SERVICE_HOST OPS_PORT_80_TCP OPS_PORT_80_TCP_ADDR REPLICATION_SERVICE_HOST DATABASE_SERVICE_PORT
  REDIS_URL REDIS_HOST REDIS_PORT MONGO_URL POSTGRES_PASSWORD PGHOST PGPORT PGUSER MYSQL_HOST
  SMTP_HOST SMTP_PORT MAIL_HOST MAIL_PORT DB_HOST DB_PORT DB_URL DB_PASSWORD API_KEY API_URL BASE_URL
  APP_PORT APP_HOST APP_URL VPS_HOST WEB_PORT PORTS HOSTS PORT_HTTP PORT_NUMBER LOG LOGS LOG_LEVEL
  LOG_FORMAT REQUEST_ID APPLICATION APPLICATION_NAME DUPLICATION IMPORT EXPORT REPORT SUPPORT POST
  COST SORT SPORT SERVER_URL SERVER_NAME DEVICE_URL SERVICE_NAME SERVICE_ID PUBLIC_URL CLIENT_ID
  CLIENT_SECRET JWT_SECRET SECRET_KEY SESSION_SECRET TOKEN GITHUB_TOKEN AWS_REGION AWS_ACCESS_KEY_ID
  AWS_SECRET_ACCESS_KEY AWS_CA_BUNDLE LITESTREAM_ACCESS_KEY_ID LITESTREAM_SECRET_ACCESS_KEY
  OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_ENDPOINT SENTRY_DSN PROMETHEUS_PORT GRAFANA_URL
  CONTAINER_HOST DOCKER_HOST FLY_APP_NAME RENDER_SERVICE_ID DYNO WEB_CONCURRENCY VIRTUAL_HOST
  TEST_DATABASE_URL SHADOW_DATABASE_URL VITEST_POOL_ID
`
  .trim()
  .split(/\s+/);

/** They begin like settings, and may be of another program of the same file of settings. */
const STRANGERS = ['DATABASE_PASSWORD', 'DATABASE_HOST', 'DATABASE_SSL', 'DATABASE_NAME'].concat(
  'AUTH_SECRET',
  'ADMIN_EMAIL',
  'ACCOUNT_ID',
  'BACKUP_SCHEDULE',
);

const meantBy = (environment: Record<string, string>) =>
  misspelledNames(environment).map(({ hint }) => / ([A-Z_]+) is probably meant$/.exec(hint)?.[1]);

describe('A misspelled name', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['ATABASE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATABASE_URL_FILE', 'DATABASE_URL'],
    ['BACKUPDIR', 'BACKUP_DIR'],
    ['BACKUP_DIRECTORY', 'BACKUP_DIR'],
    ['BACKUP_HOURS', 'BACKUP_INTERVAL_HOURS'],
    ['REPLICATON', 'REPLICATION'],
    ['REPLICATION_MODE', 'REPLICATION'],
    ['REPLICAITON', 'REPLICATION'],
    ['OPSPORT', 'OPS_PORT'],
    ['OPS_PROT', 'OPS_PORT'],
    ['PROT', 'PORT'],
    ['ACOUNT_MAX_BYTES', 'ACCOUNT_MAX_BYTES'],
    ['ACCOUNT_MAX_BYTE', 'ACCOUNT_MAX_BYTES'],
    ['REQUST_LOG', 'REQUEST_LOG'],
    ['AUTH_USERINFO_ULR', 'AUTH_USERINFO_URL'],
    ['AUTH_USER_INFO_URL', 'AUTH_USERINFO_URL'],
    ['AUTH_ISUER', 'AUTH_ISSUER'],
    ['ADMIN_KEY', 'ADMIN_API_KEY'],
    ['ADMIN_API_KEYFILE', 'ADMIN_API_KEY_FILE'],
    ['CORS_ALLOWED_ORIGIN', 'CORS_ALLOWED_ORIGINS'],
    ['CORS_ORIGIN', 'CORS_ALLOWED_ORIGINS'],
    ['SLOW_REQUESTS_MS', 'SLOW_REQUEST_MS'],
    ['SERVICEURL', 'SERVICE_URL'],
    ['ERASURE_LEGDER', 'ERASURE_LEDGER'],
  ])('%s is named with the setting that was meant, %s', (name, setting) => {
    const [found] = misspelledNames({ [name]: 'hush' });
    expect(found).toEqual({
      event: 'setting_unknown',
      hint: `${name} is no setting and does nothing; ${setting} is probably meant`,
    });
  });

  it('is named, too, where its setting is there', () => {
    expect(meantBy({ DATABASE_URL: 'file:a.db', DATABSE_URL: 'file:b.db' })).toEqual([
      'DATABASE_URL',
    ]);
  });

  it('of any setting is found with a letter lost, doubled or exchanged', () => {
    for (const setting of SETTING_NAMES.filter((name) => name.length > 4)) {
      for (let i = 1; i < setting.length - 1; i++) {
        const [before, letter, next, after] = [
          setting.slice(0, i),
          setting[i] ?? '',
          setting[i + 1] ?? '',
          setting.slice(i + 2),
        ];
        const slips = [
          before + next + after,
          before + letter + letter + next + after,
          before + next + letter + after,
        ];
        for (const slip of slips.filter((name) => !SETTING_NAMES.includes(name as never))) {
          expect(meantBy({ [slip]: 'x' }), slip).toHaveLength(1);
        }
      }
    }
  });
});

describe('No alarm', () => {
  it.each(OF_OTHERS)('is raised by %s', (name) => {
    expect([
      ...misspelledNames({ [name]: 'x' }),
      ...strangersAmongSettings({ [name]: 'x' }),
    ]).toEqual([]);
  });

  it('is raised by settings themselves, or an empty name', () => {
    const all = Object.fromEntries(SETTING_NAMES.map((name) => [name, 'x']));
    const given = { ...all, DATABSE_URL: '', AUTH_X: '' };
    expect([...misspelledNames(given), ...strangersAmongSettings(given)]).toEqual([]);
  });

  it('is raised by a name that says more than a setting that is there', () => {
    expect(misspelledNames({ DATABASE_URL: 'file:a.db', DATABASE_URL_TEST: 'x' })).toEqual([]);
    expect(meantBy({ DATABASE_URL_TEST: 'x' })).toEqual(['DATABASE_URL']);
  });

  it('is raised by what Docker and Kubernetes make of the name of a service', () => {
    const given = { DATABASE_PORT: 'tcp://10.0.0.1:5432', CONSOLE_SERVICE_PORT: '80' };
    expect([...misspelledNames(given), ...strangersAmongSettings(given)]).toEqual([]);
  });
});

it.each(STRANGERS)('%s begins like settings: it is named, and no setting with it', (name) => {
  expect(misspelledNames({ [name]: 'x' })).toEqual([]);
  const [found] = strangersAmongSettings({ [name]: 'x' });
  expect(found?.hint).toContain(`${name} is no setting and does nothing; those that begin with`);
});
