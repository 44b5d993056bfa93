// The stateless front: the whole HTTP side of the service, with settings from
// the environment and the records in objects elsewhere.

import { createResponder, openSignIn, type Responder } from '../handler.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import type { Log } from '../log.js';
import { readSettings, SettingError, type Settings, settingWarnings } from '../settings.js';
import { consoleLog } from './console-log.js';
import { accountStub, directoryStub, settingsIn, type WorkerEnvironment } from './environment.js';
import { frontRecords } from './front-records.js';

/** Reads the settings once; in a new isolate with the first request, since a Worker has no start of its own. */
export function createFront(): (request: Request, env: WorkerEnvironment) => Promise<Response> {
  let respond: Responder | undefined;
  return async (request, env) => {
    respond ??= responder(env);
    return respond(request);
  };
}

function responder(env: WorkerEnvironment): Responder {
  const log = consoleLog();
  const settings = settingsOf(env, log);
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  const identity = identityOf(settings, log);
  const objects = {
    account: (owner: string) => accountStub(env, owner),
    directory: () => directoryStub(env),
  };
  return createResponder({
    records: frontRecords(objects, log),
    ...(identity && { identity }),
    adminKey: settings.adminKey,
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
  });
}

/** There is no start that could fail: a setting that cannot be used closes the doors, and the log says which. */
function settingsOf(env: WorkerEnvironment, log: Log): Settings {
  try {
    return readSettings(settingsIn(env));
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    log.error('setting_unusable', error);
    return readSettings({});
  }
}

function identityOf({ signIn: settings }: Settings, log: Log): IdentityProvider | undefined {
  if (settings === undefined) return undefined;
  // Not joined: the platform ties an exchange to the request that began it.
  return openSignIn({ settings, log, joined: false }).identity;
}
