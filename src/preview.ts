// `npm start`: the real service on this machine only, with an identity provider of its
// own, to explore it and to develop a client.

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { Log } from './core/log.js';
import { startService } from './hosts/node/file-service.js';
import { captureStrayOutput, runService } from './hosts/node/process.js';
import type { Service } from './hosts/node/service.js';
import { isLoopback } from './hosts/settings/addresses.js';
import { SettingError } from './hosts/settings/setting-error.js';
import { SETTING_NAMES } from './hosts/settings/warnings.js';
import { readConsoleSettings, readSettings, type Settings } from './hosts/settings.js';
import { loopbackOnly } from './preview/loopback-only.js';
import { nextFreePort, startPreviewPort } from './preview/preview-port.js';
import { type RunningConsole, startConsole } from './tools/console/host.js';

const DATABASE_URL = 'file:data/preview.db';
const BACKUP_FOLDER = 'data/preview-backups';
/** The next free port, if one isn't set and is in use. */
const API_PORT = 8080;
const OPERATIONS_PORT = 8082;
const CONSOLE_PORT = 8090;
const PORT_MAX = 65_535;
/** Owns the sample rows. */
const SAMPLE_TOKEN = 'local-preview';
/** The settings that the preview reads; it has a database and a sign-in of its own. */
const TAKEN = ['ADMIN_API_KEY', 'CONSOLE_PORT', 'HOST', 'OPS_PORT', 'PORT'];

// The preview writes for a person.
const log: Log = {
  info() {},
  warn: (event, fields) => {
    // Its file may be recreated at any time.
    if (event.startsWith('database_create')) return;
    tell(`${event} ${JSON.stringify(fields ?? {})}`);
  },
  error: (event, error) => tell(`${event}: ${error instanceof Error ? error.message : error}`),
};
captureStrayOutput(log);
const adminKey = process.env['ADMIN_API_KEY'] || randomBytes(24).toString('base64url');

let reference = '';
let consoleOrigin = '';
let consoleCode = '';
const service = await runService(log, async (onStorageLost): Promise<Service> => {
  tellIgnored();
  const port = await startPreviewPort();
  const apiPort = process.env['PORT'] || String(await nextFreePort(API_PORT));
  const operationsPort = process.env['OPS_PORT'] || String(await freeOperationsPort(apiPort));
  const settings = previewSettings(port.userinfoUrl, apiPort, operationsPort);
  await mkdir(BACKUP_FOLDER, { recursive: true });
  const service = await startService({ settings, log, onStorageLost, guard: loopbackOnly });
  reference = port.showReference(service.origin);
  const operatorsConsole = await startPreviewConsole(service);
  consoleOrigin = operatorsConsole.origin;
  return {
    ...service,
    async stop() {
      await operatorsConsole.close();
      await service.stop();
      await port.close();
    },
  };
});
// Its terminal was closed, so nobody could stop it.
process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
process.stdout.write(welcome(service.origin, service.operationsOrigin));

function tellIgnored(): void {
  const ignored = SETTING_NAMES.filter((name) => process.env[name] && !TAKEN.includes(name));
  if (ignored.length === 0) return;
  const names = ignored.sort().join(', ');
  tell(`The preview ignores ${names}: it has a database and a sign-in of its own.`);
}

/** Over HTTP, as elsewhere. It asks for a code, because a browser here may show anyone's pages. */
async function startPreviewConsole(service: Service): Promise<RunningConsole> {
  const { origin, operationsOrigin } = service;
  const settings = readConsoleSettings(
    {
      SERVICE_URL: `${origin}/api/v1`,
      ADMIN_API_KEY: adminKey,
      CONSOLE_PORT: process.env['CONSOLE_PORT'] || String(await nextFreePort(CONSOLE_PORT)),
      OPS_PORT: operationsOrigin && new URL(operationsOrigin).port,
    },
    undefined,
  );
  return startConsole({
    settings,
    assetFolder: new URL('./console/', import.meta.url),
    log,
    // The first one is in the welcome.
    tellCode(code) {
      if (consoleCode !== '') tell(`The console's next code: ${code}`);
      consoleCode = code;
    },
  });
}

/** Skips the API's port, which is free until the API listens. */
function freeOperationsPort(apiPort: string): Promise<number> {
  const api = Number(apiPort);
  return nextFreePort(api >= OPERATIONS_PORT && api < PORT_MAX ? api + 1 : OPERATIONS_PORT);
}

/** The service's settings, but never a real database or identity provider: anyone can sign in. */
function previewSettings(userinfoUrl: string, port: string, operationsPort: string): Settings {
  if (process.env['NODE_ENV'] === 'production') {
    throw new SettingError(
      'NODE_ENV is "production"; it must be unset here: the preview lets anyone in; deploy node dist/server.js',
    );
  }
  const settings = readSettings({
    HOST: process.env['HOST'],
    PORT: port,
    // Only this one, so that no answer allows any origin; the guard admits those of this machine.
    CORS_ALLOWED_ORIGINS: 'http://localhost',
    ADMIN_API_KEY: adminKey,
    DATABASE_URL,
    // "To start afresh, stop the preview and delete data/preview.db."
    DATABASE_CREATE: 'yes',
    OPS_PORT: operationsPort,
    // Only on request: the preview's data isn't worth a daily backup.
    BACKUP_DIR: BACKUP_FOLDER,
    BACKUP_INTERVAL_HOURS: '0',
    AUTH_USERINFO_URL: userinfoUrl,
  });
  if (!isLoopback(settings.host)) {
    throw new SettingError(
      `HOST is ${JSON.stringify(settings.host)}; it must be a loopback address such as 127.0.0.1: the preview lets anyone in`,
    );
  }
  return settings;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function welcome(origin: string, operations = ''): string {
  const api = `${origin}/api/v1`;
  const customer = '{"name":"Zawadi Temu","phone":"+255 767 300 412"}';
  return `
The service runs at ${api} (Ctrl-C stops it).
Its data is in data/preview.db: to start afresh, stop it first, then delete the file.

Tokens     local-NAME is the account local-NAME, for any NAME;
           ${SAMPLE_TOKEN} owns the sample shop
Admin key  ${adminKey}
Reference  ${reference} shows every operation; those of an
           account can be tried there, as ${SAMPLE_TOKEN}
Console    ${consoleOrigin}/ is the operator's: accounts, records,
           audit. Its code for one sign-in: ${consoleCode}
Operations ${operations}/status shows the service's state; /ready,
           /metrics and /live are there, too

Try, in another terminal:

# the sample orders
curl -sw '\\n' ${api}/orders -H 'Authorization: Bearer ${SAMPLE_TOKEN}'

# a new customer
curl -sw '\\n' ${api}/customers -H 'Authorization: Bearer ${SAMPLE_TOKEN}' -d '${customer}'

# the operator's overview
curl -sw '\\n' ${api}/admin/overview -H ${shellQuoted(`X-Service-Admin-Key: ${adminKey}`)}

`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
