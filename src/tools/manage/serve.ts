// `manage serve`, which is `node dist/server.js`: runs the service on this machine. And
// `manage check`, which is its `--check`: examines what a start needs, and starts nothing.

import { startService } from '../../hosts/node/file-service.js';
import { heldSocket } from '../../hosts/node/held-socket.js';
import { captureStrayOutput, jsonLog, runService } from '../../hosts/node/process.js';
import { checkStart, settingsOf, warnOfFile } from '../../hosts/node/start-check.js';
import { environmentWarnings } from '../../hosts/settings/warnings.js';
import type { Environment } from '../../hosts/settings.js';
import { type Command, commandOf, flag } from '../program/command.js';
import { EXIT_DONE, EXIT_FAILED, UsageError } from '../program/ending.js';

const SETTINGS = 'all of them are in src/hosts/node/README.md';
const ONLINE = flag('also asks the identity provider and the replica');

/** `name`: how it was called, for messages. */
export function serve(name: string): Command {
  return commandOf({
    name,
    usage: '[--check [--online]] [--settings FILE]',
    about: `Runs the service until SIGTERM or SIGINT. SIGUSR2 takes a backup. The log is one
JSON line an event.`,
    options: { check: flag('checks what a start needs, as `manage check`'), online: ONLINE },
    settings: SETTINGS,
    ending: 'own',
    async run({ values: { check = false, online = false } }, { environment }) {
      if (check) return checked(environment, online);
      if (online) throw new UsageError('--online needs --check');
      await served(environment);
      return EXIT_DONE;
    },
  });
}

export const CHECK = commandOf({
  name: 'manage check',
  usage: '[--online] [--settings FILE]',
  about: `Checks everything that a start of the service needs, and starts nothing. A line
for each check says what was found. Ends with 0 if a start would succeed, else
with 1.`,
  options: { online: ONLINE },
  settings: SETTINGS,
  run: ({ values: { online = false } }, { environment }) => checked(environment, online),
});

async function checked(environment: Environment, online: boolean): Promise<number> {
  const log = jsonLog();
  captureStrayOutput(log);
  return (await checkStart(environment, { log, online })) ? EXIT_DONE : EXIT_FAILED;
}

async function served(environment: Environment): Promise<void> {
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
}
