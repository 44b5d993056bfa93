// `npm start`: runs the real service on loopback, with its own identity provider, to explore it and to
// develop a client.

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { SAMPLE_OWNER } from './core/domain/sample-records.js';
import type { Log } from './core/log.js';
import { startService } from './hosts/node/file-service.js';
import { logWarningsAndCrashes, runService } from './hosts/node/process.js';
import { SettingError } from './hosts/settings/setting-error.js';
import { SETTING_NAMES } from './hosts/settings/warnings.js';
import { readConsoleSettings, readSettings } from './hosts/settings.js';
import { loopbackOnly } from './preview/loopback-only.js';
import { nextFreePort, startPreviewPort } from './preview/preview-port.js';
import { startConsole } from './tools/console/server.js';

const BACKUP_DIR = 'data/preview-backups';
/** The settings that the preview reads; it has its own database and sign-in. */
const READ_SETTINGS = ['ADMIN_API_KEY', 'CONSOLE_PORT', 'OPS_PORT', 'PORT'];
const { env } = process;

// Prints for a person, not for a log collector.
const log: Log = {
  info() {},
  warn: (event, fields) => {
    // The preview's file may be recreated at any time.
    if (event.startsWith('database_create')) return;
    printLine(`${event} ${JSON.stringify(fields ?? {})}`);
  },
  error: (event, error) => printLine(`${event}: ${error instanceof Error ? error.message : error}`),
};
logWarningsAndCrashes(log);

await runService(log, async (onStorageLost) => {
  const ignored = SETTING_NAMES.filter((name) => env[name] && !READ_SETTINGS.includes(name)).sort();
  if (ignored.length > 0) {
    const names = ignored.join(', ');
    printLine(`The preview ignores ${names}: it has its own database and sign-in.`);
  }
  const ADMIN_API_KEY = env['ADMIN_API_KEY'] || randomBytes(24).toString('base64url');
  let origin = '';
  const reference = await startPreviewPort(() => origin);
  const settings = await previewSettings(`${reference}/userinfo`, ADMIN_API_KEY);
  await mkdir(BACKUP_DIR, { recursive: true });
  const options = { settings, version: 'preview', log, onStorageLost, guard: loopbackOnly };
  const service = await startService(options);
  origin = service.origin;
  const operations = service.operationsOrigin ?? '';
  let code = '';
  // It requires a code, because a browser on this machine may show anyone's pages.
  const { origin: console_ } = await startConsole({
    settings: readConsoleSettings({
      SERVICE_URL: `${origin}/api/v1`,
      ADMIN_API_KEY,
      CONSOLE_PORT: env['CONSOLE_PORT'] || String(await nextFreePort(8090)),
      OPS_PORT: operations && new URL(operations).port,
    }),
    assetFolder: new URL('./console/', import.meta.url),
    log,
    // The welcome text has the first code.
    printCode(next) {
      if (code !== '') printLine(`The console's next code: ${next}`);
      code = next;
    },
  });
  process.stdout.write(welcome({ origin, operations, reference, console_, code, ADMIN_API_KEY }));
  return service;
});
// The terminal was closed, so Ctrl-C can't stop it any more.
process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));

/** Never uses a real database or identity provider, because anyone can sign in. */
async function previewSettings(AUTH_USERINFO_URL: string, ADMIN_API_KEY: string) {
  if (env['NODE_ENV'] === 'production') {
    throw new SettingError(
      'NODE_ENV is "production"; it must be unset here: the preview lets anyone in; deploy node dist/server.js',
    );
  }
  const PORT = env['PORT'] || String(await nextFreePort(8080));
  return readSettings({
    HOST: '127.0.0.1',
    PORT,
    // One origin, because the default admits any. The guard admits those of this machine.
    CORS_ALLOWED_ORIGINS: 'http://localhost',
    ADMIN_API_KEY,
    DATABASE_URL: 'file:data/preview.db',
    // "To start afresh, stop the preview and delete data/preview.db."
    DATABASE_CREATE: 'yes',
    OPS_PORT: env['OPS_PORT'] || String(await nextFreePort(8082, Number(PORT))),
    // Only on request: the preview's data isn't worth a daily backup.
    BACKUP_DIR,
    BACKUP_INTERVAL_HOURS: '0',
    AUTH_USERINFO_URL,
  });
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function welcome(of: Readonly<Record<string, string>>): string {
  const { origin, operations, reference, console_, code, ADMIN_API_KEY = '' } = of;
  const api = `${origin}/api/v1`;
  const customer = '{"name":"Zawadi Temu","phone":"+255 767 300 412"}';
  return `
The service runs at ${api} (Ctrl-C stops it).
Its data is in data/preview.db: to start afresh, stop it first, then delete the file.

Tokens     local-NAME is the account local-NAME, for any NAME;
           ${SAMPLE_OWNER} owns the sample shop
Admin key  ${ADMIN_API_KEY}
Reference  ${reference}/ shows every operation; those of an
           account can be tried there, as ${SAMPLE_OWNER}
Console    ${console_}/ is the operator's: accounts, records,
           audit. Its code for one sign-in: ${code}
Operations ${operations}/status shows the service's state; /ready,
           /metrics and /live are there, too

Try, in another terminal:

# the sample orders
curl -sw '\\n' ${api}/orders -H 'Authorization: Bearer ${SAMPLE_OWNER}'

# a new customer
curl -sw '\\n' ${api}/customers -H 'Authorization: Bearer ${SAMPLE_OWNER}' -d '${customer}'

# the operator's overview
curl -sw '\\n' ${api}/admin/overview -H 'X-Service-Admin-Key: ${ADMIN_API_KEY.replaceAll("'", "'\\''")}'

`;
}
