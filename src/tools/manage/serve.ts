// `manage serve` runs the service; `manage check` checks what a start needs.

import { startService } from '../../hosts/node/file-service.js';
import { jsonLog, logWarningsAndCrashes, runService } from '../../hosts/node/process.js';
import { checkStart, settingsOf } from '../../hosts/node/start-check.js';
import { systemdSocket } from '../../hosts/node/systemd-socket.js';
import { settingWarnings } from '../../hosts/settings/warnings.js';
import { type DefineCommand, EXIT } from '../program/command.js';

const SETTINGS = 'Settings: src/hosts/node/README.md (in a release: pages/settings.md)';

export const serve: DefineCommand = (command, call) =>
  command
    .description(`Run the service until SIGTERM or SIGINT. SIGUSR2 takes a backup.
${SETTINGS}`)
    .action(async () => {
      const { environment, version } = call;
      const log = jsonLog();
      logWarningsAndCrashes(log);
      await runService(log, async (onStorageLost) => {
        const settings = settingsOf(environment);
        for (const { event, hint } of settingWarnings(settings, environment)) {
          log.warn(event, { hint });
        }
        const socket = systemdSocket(environment, process.pid);
        if (settings.postgresUrl !== undefined) {
          // Loaded on demand: a service over a file needs no Postgres client.
          const { startPostgresService } = await import('../../hosts/postgres/postgres-service.js');
          return startPostgresService({ settings, version, log, socket });
        }
        return startService({ settings, version, log, onStorageLost, socket });
      });
    });

export const check: DefineCommand = (command, call) =>
  command
    .description(`Check the settings, files and ports that the service needs, without starting it.
${SETTINGS}`)
    .option('--online', 'also contact the identity provider and Postgres')
    .action(async ({ online = false }) => {
      // One stream, so that the verdict is the last line.
      const log = jsonLog(process.stdout);
      logWarningsAndCrashes(log);
      if (!(await checkStart(call.environment, log, online))) call.exitCode = EXIT.failed;
    });
