// `node dist/server.js`: the service on this machine, settings from the environment.

import { jsonLog } from './node/json-log.js';
import { captureConsole, runService } from './node/process.js';
import { startService } from './node/service.js';
import { readSettings } from './settings.js';

// Customers' data: the database file is nobody else's to read.
process.umask(0o077);

const log = jsonLog();
captureConsole(log);
await runService(log, async (onStorageLost) =>
  startService({ settings: readSettings(process.env), log, onStorageLost }),
);
