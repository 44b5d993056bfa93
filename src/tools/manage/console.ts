// `manage console` runs the operator's console; `manage hash` makes its password's setting.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { jsonLog } from '../../hosts/node/process.js';
import { readConsoleSettings } from '../../hosts/settings/console-settings.js';
import { misspelledNames } from '../../hosts/settings/warnings.js';
import { readBackups } from '../../hosts/settings.js';
import { ledgerPath } from '../../storage/erasures/ledger.js';
import { hashPassword } from '../console/credentials.js';
import { startConsole } from '../console/host.js';
import { readSecretLine } from '../console/secret-line.js';
import { COMMON, type Command } from '../program/command.js';
import { EXIT_DONE } from '../program/ending.js';
import { interruptedBySignal } from '../program/terminal.js';

export const CONSOLE: Command = {
  help: `manage console [--settings FILE]

Runs the operator's console until SIGTERM or Ctrl-C: prints its address, and a
code for the next sign-in.
Settings: src/tools/console/README.md (in a release: pages/console.md).

${COMMON}`,
  ending: 'own',
  async run(_, { environment, out }) {
    const log = jsonLog();
    const settings = readConsoleSettings(environment, (path) => readFileSync(path, 'utf8'));
    for (const { event, hint } of misspelledNames(environment)) log.warn(event, { hint });
    const running = await startConsole({
      settings,
      erasure: { ledger: ledgerPath(environment), backups: readBackups(environment) },
      assetFolder: new URL('./console/', import.meta.url),
      log,
      tellCode: (code) => out(`code: ${code}\n`),
    });
    interruptedBySignal(() => {
      log.info('stopping');
      void running.close().then(() => process.exit(EXIT_DONE));
    });
    log.info('console_started', { address: running.origin });
    out(`console: ${settings.origin ?? running.origin}/\n`);
  },
};

export const HASH: Command = {
  help: `manage hash

Asks for a password, or reads it from standard input, and prints the line that
sets CONSOLE_PASSWORD_HASH, for a file of settings or a shell.

${COMMON}`,
  async run(_, { out }) {
    const password = await readSecretLine(process.stdin, process.stderr, 'Password: ');
    // In quotation marks: a shell would replace what begins with $.
    out(`CONSOLE_PASSWORD_HASH='${await hashPassword(password, randomBytes)}'\n`);
  },
};
