// The gateway on Workers: the whole HTTP side of the service, without state. Settings
// come from the environment; the records are in durable objects.

import { UNLIMITED } from '../../core/admission/admission.js';
import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { openSignIn } from '../../core/identity/sign-in.js';
import type { Log } from '../../core/log.js';
import { buildHandler, type FetchHandler } from '../../handler.js';
import { SettingError } from '../settings/setting-error.js';
import { environmentWarnings, settingWarnings } from '../settings/warnings.js';
import { readSettings, type Settings } from '../settings.js';
import { consoleLog } from './console-log.js';
import { accountStub, directoryStub, settingsIn, type WorkerEnvironment } from './environment.js';
import { gatewayRecords } from './gateway-records.js';

/** Reads the settings at an isolate's first request, because a Worker has no startup. */
export function createGateway(): (request: Request, env: WorkerEnvironment) => Promise<Response> {
  let respond: FetchHandler | undefined;
  return async (request, env) => {
    respond ??= responder(env);
    const remoteAddress = () => request.headers.get('cf-connecting-ip') ?? undefined;
    return respond(request, { remoteAddress });
  };
}

function responder(env: WorkerEnvironment): FetchHandler {
  const log = consoleLog();
  const settings = settingsOf(env, log);
  const warnings = [...settingWarnings(settings), ...environmentWarnings(settingsIn(env))];
  for (const { event, hint } of warnings) log.warn(event, { hint });
  const objects = {
    account: (owner: string) => accountStub(env, owner),
    directory: () => directoryStub(env),
  };
  // The platform ties timers and fetches to the request that started them.
  const alone = { scheduler: new FairScheduler({ sliceMs: Infinity }), admission: UNLIMITED };
  const { signIn, adminKey, corsAllowedOrigins } = settings;
  const identity = signIn && openSignIn({ settings: signIn, log, joined: false }).identity;
  const records = gatewayRecords(objects, log);
  return buildHandler({ records, identity, adminKey, corsAllowedOrigins, log, ...alone });
}

/** A Worker has no startup that could fail. If one setting is invalid, none is used: every request that needs a setting is answered 503, and the log names the invalid one. */
function settingsOf(env: WorkerEnvironment, log: Log): Settings {
  try {
    return readSettings(settingsIn(env));
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    log.error('setting_unusable', error);
    return readSettings({});
  }
}
