// Dispatches the operator's commands. Each is loaded only when called, because `manage ready` runs every
// few seconds.

import { Command, CommanderError } from '@commander-js/extra-typings';
import { SettingError } from '../../hosts/settings/setting-error.js';
import { misspelledNames } from '../../hosts/settings/warnings.js';
import { describeError } from '../data/errors.js';
import { type Call, type DefineCommand, EXIT, withSettingsFiles } from '../program/command.js';

type Load = () => Promise<Readonly<Record<string, DefineCommand>>>;

/** Each command's summary, and the module that exports it under its name. */
export const COMMANDS: Readonly<Record<string, readonly [summary: string, Load]>> = {
  serve: ['run the service', () => import('./serve.js')],
  check: ['check settings, files and ports; start nothing', () => import('./serve.js')],
  ready: ['ask whether the service is ready', () => import('./ready.js')],
  import: ['create records from a spreadsheet', () => import('./accounts.js')],
  export: ["write an account's records to files", () => import('./accounts.js')],
  dump: ['write all data to one file', () => import('./dump.js')],
  load: ['load a dump into an empty database', () => import('./dump.js')],
  erase: ['export an account, then delete it', () => import('./accounts.js')],
  restore: ['replace the database with a backup', () => import('./dump.js')],
  console: ["run the operator's console", () => import('./console.js')],
  hash: ["hash the console's password", () => import('./console.js')],
};

/** Resolves with the exit code. */
export async function manage(args: readonly string[], call: Call): Promise<number> {
  const { MANAGE_NAME: self = 'manage' } = call.environment;
  const program = new Command(self)
    .version(call.version, '--version', 'print the release')
    .helpCommand(false)
    .addHelpText('afterAll', '\nExit codes: 0 done, 1 failed, 2 usage error, 130 stopped by Ctrl-C')
    .configureOutput({ writeOut: call.out, writeErr: call.err })
    .showHelpAfterError(`${self} --help lists the commands`)
    .exitOverride();
  try {
    for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
      const command = program.command(name).summary(summary);
      if (name !== args[0]) continue;
      (await load())[name]?.(command, call);
      const files: string[] = [];
      command.showHelpAfterError(`${self} ${name} --help lists its options`);
      command.option('--settings <file>', 'read settings; the environment overrides them');
      command.on('option:settings', (file) => files.push(file));
      command.hook('preAction', () => {
        call.environment = withSettingsFiles(call.environment, files);
        // These two log the warnings themselves.
        if (['serve', 'check'].includes(name)) return;
        for (const { hint } of misspelledNames(call.environment)) call.err(`warning: ${hint}\n`);
      });
    }
    await program.parseAsync(args, { from: 'user' });
    return call.exitCode ?? EXIT.done;
  } catch (error) {
    // Commander has already printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
    call.err(`${describeError(error)}\n`);
    if (error instanceof SettingError) return EXIT.wrongUse;
    return Object(error).exitCode ?? EXIT.failed;
  }
}
