// `manage console` runs the operator's console; `manage hash` hashes its password.

import { readFileSync } from 'node:fs';
import { jsonLog } from '../../hosts/node/process.js';
import { readConsoleSettings } from '../../hosts/settings.js';
import { hashPassword } from '../console/credentials.js';
import { readPassword } from '../console/password-input.js';
import { startConsole } from '../console/server.js';
import type { DefineCommand } from '../program/command.js';

const runConsole: DefineCommand = (command, call) =>
  command
    .description(`Run the operator's console until Ctrl-C. Prints its address and a sign-in code.
Settings: src/tools/console/README.md (in a release: pages/console.md)`)
    .action(async () => {
      const log = jsonLog();
      const settings = readConsoleSettings(call.environment, (path) => readFileSync(path, 'utf8'));
      const running = await startConsole({
        settings,
        assetFolder: new URL('./console/', import.meta.url),
        log,
        printCode: (code) => call.out(`code: ${code}\n`),
      });
      call.interrupted.addEventListener('abort', () => {
        void running.close().then(() => process.exit());
      });
      call.listen?.();
      log.info('console_started', { address: running.origin });
      call.out(`console: ${settings.origin ?? running.origin}/\n`);
    });

export { runConsole as console };

export const hash: DefineCommand = (command, { out }) =>
  command
    .description('Ask for a password, and print the setting CONSOLE_PASSWORD_HASH with its hash.')
    .action(async () => {
      const password = await readPassword();
      // Quoted, because a shell would expand $.
      out(`CONSOLE_PASSWORD_HASH='${await hashPassword(password)}'\n`);
    });
