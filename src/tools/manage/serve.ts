// `manage serve` runs the service on this machine; `manage check` examines what its start needs.

import { startService } from '../../hosts/node/file-service.js';
import { heldSocket } from '../../hosts/node/held-socket.js';
import { captureStrayOutput, jsonLog, runService } from '../../hosts/node/process.js';
import { checkStart, settingsOf, warnOfFile } from '../../hosts/node/start-check.js';
import { environmentWarnings } from '../../hosts/settings/warnings.js';
import { COMMON, type Command } from '../program/command.js';
import { EXIT_DONE, EXIT_FAILED } from '../program/ending.js';

const SETTINGS = 'Settings: src/hosts/node/README.md (in a release: pages/settings.md).';

export const SERVE: Command = {
  help: `manage serve [--settings FILE]

Runs the service until SIGTERM or SIGINT. SIGUSR2 takes a backup. The log is one
JSON line an event.
${SETTINGS}

${COMMON}`,
  ending: 'own',
  async run(_, { environment }) {
    const log = jsonLog();
    captureStrayOutput(log);
    await runService(log, async (onStorageLost) => {
      const settings = settingsOf(environment);
      for (const { event, hint } of environmentWarnings(environment)) log.warn(event, { hint });
      const socket = heldSocket(environment, process.pid);
      if (settings.postgresUrl !== undefined) {
        // Loaded here: a service over a file needs no client of Postgres.
        const { startPostgresService } = await import('../../hosts/postgres/postgres-service.js');
        return startPostgresService({ settings, log, socket });
      }
      const service = await startService({ settings, log, onStorageLost, socket });
      warnOfFile(settings.databasePath, log);
      return service;
    });
    return EXIT_DONE;
  },
};

export const CHECK: Command = {
  help: `manage check [--online] [--settings FILE]

Checks everything that a start of the service needs, and starts nothing. A line
for each check says what was found. Ends with 0 if a start would succeed, else
with 1.
${SETTINGS}

  --online              also asks the identity provider and Postgres
${COMMON}`,
  ending: 'own',
  async run(given, { environment }) {
    const log = jsonLog();
    captureStrayOutput(log);
    const isGood = await checkStart(environment, log, given.flag('online'));
    return isGood ? EXIT_DONE : EXIT_FAILED;
  },
};
