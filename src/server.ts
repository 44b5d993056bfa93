// `node dist/server.js`: the service on this machine, settings from the environment.
// With `--check`, the settings and the database file are judged and nothing is started.

import { heldSocket } from './node/held-socket.js';
import { jsonLog } from './node/json-log.js';
import { captureStrayOutput, runService } from './node/process.js';
import { startService } from './node/service.js';
import { checkStart, settingsOf, warnOfEnvironment, warnOfFile } from './node/start-check.js';

const log = jsonLog();
captureStrayOutput(log);
if (process.argv.includes('--check')) process.exit(await checkStart(process.env, log));
await runService(log, async (onStorageLost) => {
  const settings = settingsOf(process.env);
  warnOfEnvironment(process.env, log);
  const socket = heldSocket(process.env, process.pid);
  const service = await startService({ settings, log, onStorageLost, socket });
  warnOfFile(settings.databasePath, log);
  return service;
});
