// `node dist/server.js`: the service on this machine, settings from the environment.
// With `--check`, what a start needs is looked at, and nothing is started.

import { heldSocket } from './node/held-socket.js';
import { jsonLog } from './node/json-log.js';
import { captureStrayOutput, runService } from './node/process.js';
import { startService } from './node/service.js';
import { checkStart, settingsOf, warnOfEnvironment, warnOfFile } from './node/start-check.js';
import { COMMON_HELP, expectNoPositionals, misunderstood } from './program/arguments.js';
import { EXIT_DONE } from './program/ending.js';
import { runProgram } from './program/run-program.js';

const SERVER = {
  name: 'server',
  help: `node dist/server.js [--check [--online]] [--settings FILE]

Runs the service until SIGTERM or SIGINT. SIGUSR2 takes a backup. The log is one
JSON line an event.

  --check               looks at everything that a start needs, starts nothing, and
                        ends with 0 where a start would succeed, else with 1
  --online              with --check: asks the identity provider and the replica, too
${COMMON_HELP}
Settings (environment); all of them are in src/node/README.md
  DATABASE_URL        the database (file:data/service.db)
  HOST, PORT          where it listens (127.0.0.1, 8080)
  AUTH_USERINFO_URL   the identity provider's user-information endpoint
  ADMIN_API_KEY_FILE  a file with the key of the administration API
  BACKUP_DIR          the folder of the backups
  OPS_PORT            the operations port: /ready, /metrics, /status

Exit codes: 0 done, 1 failed, 2 not understood.
`,
  options: { check: { type: 'boolean' }, online: { type: 'boolean' } },
} as const;

process.exitCode = await runProgram(
  SERVER,
  import.meta.url,
  async ({ values, positionals, environment }) => {
    expectNoPositionals(SERVER, positionals);
    const { check = false, online = false } = values;
    if (online && !check) throw misunderstood(SERVER, '--online goes with --check; give it, too');
    const log = jsonLog();
    captureStrayOutput(log);
    if (check) return checkStart(environment, { log, online });
    await runService(log, async (onStorageLost) => {
      const settings = settingsOf(environment);
      warnOfEnvironment(environment, log);
      const socket = heldSocket(environment, process.pid);
      const service = await startService({ settings, log, onStorageLost, socket });
      warnOfFile(settings.databasePath, log);
      return service;
    });
    return EXIT_DONE;
  },
);
