// Names of an environment that are probably meant for settings, and those of other programs, which
// cause no warning.

import { expect, it } from 'vitest';
import {
  misspelledNames,
  otherWarnings,
  SETTING_NAMES,
} from '../../src/hosts/settings/warnings.js';

/** Variables of shells, systemd, npm, containers, Kubernetes and other programs. */
const OF_OTHERS = `
  PATH HOME USER SHELL TERM TZ LANG PWD HOSTNAME HOSTTYPE EDITOR DISPLAY MAIL CI DEBUG INVOCATION_ID
  JOURNAL_STREAM LISTEN_FDS LISTEN_PID NOTIFY_SOCKET CREDENTIALS_DIRECTORY STATE_DIRECTORY
  npm_config_cache npm_config_port NODE NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS UV_THREADPOOL_SIZE
  HTTP_PROXY NO_PROXY KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP OPS_SERVICE_HOST
  OPS_PORT_80_TCP DATABASE_SERVICE_PORT REDIS_URL REDIS_HOST REDIS_PORT POSTGRES_PASSWORD PGHOST PGPORT
  SMTP_HOST SMTP_PORT MAIL_HOST DB_HOST DB_PORT DB_URL API_KEY API_URL BASE_URL APP_PORT APP_HOST
  VPS_HOST WEB_PORT PORTS HOSTS LOG LOG_LEVEL REQUEST_ID APPLICATION DUPLICATION IMPORT EXPORT REPORT
  SUPPORT POST COST SORT SPORT SERVER_URL SERVER_NAME DEVICE_URL SERVICE_NAME SERVICE_ID PUBLIC_URL
  CLIENT_ID JWT_SECRET SESSION_SECRET TOKEN AWS_REGION OTEL_SERVICE_NAME PROMETHEUS_PORT DOCKER_HOST
  VIRTUAL_HOST TEST_DATABASE_URL DATABASE_PASSWORD DATABASE_NAME AUTH_SECRET ADMIN_EMAIL ACCOUNT_ID
`
  .trim()
  .split(/\s+/);

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['BACKUPDIR', 'BACKUP_DIR'],
  ['REPLICAITON', 'REPLICATION'],
  ['OPS_PROT', 'OPS_PORT'],
  ['ACOUNT_MAX_BYTE', 'ACCOUNT_MAX_BYTES'],
  ['AUTH_USERINFO_ULR', 'AUTH_USERINFO_URL'],
  ['AUTH_ISSUR', 'AUTH_ISSUER'],
  ['CORS_ALLOWED_ORIGIN', 'CORS_ALLOWED_ORIGINS'],
])('%s is told with the setting that was meant, %s, and without its value', (name, setting) => {
  expect(misspelledNames({ [name]: 'hush' })).toEqual([
    {
      event: 'setting_unknown',
      hint: `unknown setting ${name}; ignored: did you mean ${setting}?`,
    },
  ]);
});

it.each([...OF_OTHERS, ...SETTING_NAMES])('%s causes no warning', (name) => {
  expect([...misspelledNames({ [name]: 'x' }), ...otherWarnings({ [name]: 'x' })]).toEqual([]);
});
