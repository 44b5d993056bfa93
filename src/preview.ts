// `npm start`: the real service on this machine alone, with an identity
// provider of its own, for looking around and for building a client against.

import { randomBytes } from 'node:crypto';
import { ADMIN_KEY_MIN_CHARACTERS } from './domain/limits.js';
import type { Log } from './log.js';
import { loopbackOnly } from './node/loopback-only.js';
import { startPreviewPort } from './node/preview-port.js';
import { captureStrayOutput, runService } from './node/process.js';
import { type Service, startService } from './node/service.js';
import { isLoopback, readSettings, SettingError, type Settings } from './settings.js';

const DATABASE_URL = 'file:data/preview.db';
/** Owns the sample rows. */
const SAMPLE_TOKEN = 'local-preview';
/** Its terminal has gone: nobody could stop it any more. */
const PREVIEW_PROCESS = { hangUpEnds: true };

// What the preview has to say is for a person.
const log: Log = {
  info() {},
  warn: (event, fields) => tell(`${event} ${JSON.stringify(fields ?? {})}`),
  error: (event, error) => tell(`${event}: ${error instanceof Error ? error.message : error}`),
};
captureStrayOutput(log);
const adminKey = process.env['ADMIN_API_KEY'] || randomBytes(24).toString('base64url');

let reference = '';
const service = await runService(
  log,
  async (onStorageLost): Promise<Service> => {
    const port = await startPreviewPort();
    const settings = previewSettings(port.userinfoUrl);
    const service = await startService({ settings, log, onStorageLost, guard: loopbackOnly });
    reference = port.showReference(service.origin);
    return { ...service, stop: () => service.stop().then(port.close) };
  },
  PREVIEW_PROCESS,
);
process.stdout.write(welcome(service.origin));

/** The service's settings, but never another database or identity provider: this door is open. */
function previewSettings(userinfoUrl: string): Settings {
  if (process.env['NODE_ENV'] === 'production') {
    const wanted = 'unset here: the preview lets anyone in; deploy node dist/server.js';
    throw new SettingError('NODE_ENV', '"production"', wanted);
  }
  const settings = readSettings({
    HOST: process.env['HOST'],
    PORT: process.env['PORT'],
    // Only this one, so that no answer says "any origin"; the guard admits those of this machine.
    CORS_ALLOWED_ORIGINS: 'http://localhost',
    ADMIN_API_KEY: adminKey,
    DATABASE_URL,
    AUTH_USERINFO_URL: userinfoUrl,
  });
  if (!isLoopback(settings.host)) {
    throw new SettingError(
      'HOST',
      JSON.stringify(settings.host),
      'an address of this machine alone, such as 127.0.0.1: the preview lets anyone in',
    );
  }
  if (adminKey.length < ADMIN_KEY_MIN_CHARACTERS) {
    const wanted = `unset, or ${ADMIN_KEY_MIN_CHARACTERS} characters or more`;
    throw new SettingError('ADMIN_API_KEY', `${adminKey.length} characters long`, wanted);
  }
  return settings;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function welcome(origin: string): string {
  const api = `${origin}/api/v1`;
  const customer = '{"name":"Zawadi Temu","phone":"+255 767 300 412"}';
  return `
The service runs at ${api} (data in data/preview.db; Ctrl-C stops it).

Tokens     local-NAME is the account local-NAME, for any NAME;
           ${SAMPLE_TOKEN} owns the sample shop
Admin key  ${adminKey}
Reference  ${reference} shows every operation; those of an
           account can be tried there, as ${SAMPLE_TOKEN}

Try, in another terminal:

# the sample orders
curl -s ${api}/orders -H 'Authorization: Bearer ${SAMPLE_TOKEN}'

# a new customer
curl -s ${api}/customers -H 'Authorization: Bearer ${SAMPLE_TOKEN}' -d '${customer}'

# the operator's overview
curl -s ${api}/admin/overview -H ${shellQuoted(`X-Service-Admin-Key: ${adminKey}`)}

`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
