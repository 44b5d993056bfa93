// `node dist/server.js`: the service on this machine, settings from the environment.

import { jsonLog } from './node/json-log.js';
import { captureStrayOutput, runService } from './node/process.js';
import { startService } from './node/service.js';
import { readOperationsSettings } from './operations-settings.js';
import { readSettings } from './settings.js';

const log = jsonLog();
captureStrayOutput(log);
await runService(log, async (onStorageLost) =>
  startService({
    settings: readSettings(process.env),
    operations: readOperationsSettings(process.env),
    log,
    onStorageLost,
  }),
);
