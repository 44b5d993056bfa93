// `manage console`: runs the operator's console.

import { readFileSync } from 'node:fs';
import { jsonLog } from '../../hosts/node/json-log.js';
import { readConsoleSettings } from '../../hosts/settings/console-settings.js';
import { misspelledNames } from '../../hosts/settings/warnings.js';
import { readBackups } from '../../hosts/settings.js';
import { ledgerPath } from '../../storage/erasures/ledger.js';
import { startConsole } from '../console/host.js';
import { commandOf } from '../program/command.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED, messageOf } from '../program/ending.js';
import { interruptedBySignal } from '../program/terminal.js';

const ASSETS = new URL('./console/', import.meta.url);

export const CONSOLE = commandOf({
  name: 'manage console',
  usage: '[--settings FILE]',
  about: `Runs the operator's console until SIGTERM or Ctrl-C: prints its address, and a
code for the next sign-in.`,
  options: {},
  settings: [
    ['SERVICE_URL', 'the service (http://127.0.0.1:8080/api/v1)'],
    ['ADMIN_API_KEY', 'its admin key, or'],
    ['ADMIN_API_KEY_FILE', 'a file with the key in its first line'],
    ['CONSOLE_HOST', 'where it listens (127.0.0.1)'],
    ['CONSOLE_PORT', 'the port (8090)'],
    ['OPS_HOST, OPS_PORT', "the service's operations port, as the service has them"],
    ['', 'all of them are in src/tools/console/README.md'],
  ],
  ending: 'own',
  async run(_, dependencies) {
    try {
      await runConsole(dependencies);
      return EXIT_DONE;
    } catch (error) {
      // A setting that cannot be used ends a start with 1, as it does the service's.
      dependencies.err(`${messageOf(error)}\n`);
      return EXIT_FAILED;
    }
  },
});

async function runConsole({ environment, out }: CommandDependencies): Promise<void> {
  const log = jsonLog();
  const settings = readConsoleSettings(environment, (path) => readFileSync(path, 'utf8'));
  for (const { event, hint } of misspelledNames(environment)) log.warn(event, { hint });
  const running = await startConsole({
    settings,
    erasure: { ledger: ledgerPath(environment), backups: readBackups(environment) },
    assetFolder: ASSETS,
    log,
    tellCode: (code) => out(`code: ${code}\n`),
  });
  interruptedBySignal(() => {
    log.info('stopping');
    void running.close().then(() => process.exit(EXIT_DONE));
  });
  log.info('console_started', { address: running.origin });
  out(`console: ${settings.origin ?? running.origin}/\n`);
}
