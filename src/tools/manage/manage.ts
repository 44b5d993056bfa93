// The operator's commands, and the choice of one. Each is loaded when it is
// called: `manage ready` runs every few seconds and needs none of the others.

import { type Command, EXIT_CODES, runCommand } from '../program/command.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_WRONG_USE } from '../program/ending.js';

type Entry = readonly [says: string, load: () => Promise<Command>];

const service = () => import('./serve.js');
const accounts = () => import('./accounts.js');
const dumps = () => import('./dump.js');
const browser = () => import('./console.js');

export const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: ['runs the service', async () => (await service()).SERVE],
  check: ['checks what a start needs; starts nothing', async () => (await service()).CHECK],
  ready: ['asks whether the service is ready', async () => (await import('./ready.js')).READY],
  import: ['creates records from a spreadsheet', async () => (await accounts()).IMPORT],
  export: ["writes an account's records to files", async () => (await accounts()).EXPORT],
  dump: ['writes everything into one file', async () => (await dumps()).DUMP],
  load: ['loads a dump into an empty database', async () => (await dumps()).LOAD],
  erase: ['exports an account, then deletes it', async () => (await accounts()).ERASE],
  restore: ['restores a backup', async () => (await import('./restore.js')).RESTORE],
  console: ["runs the operator's console", async () => (await browser()).CONSOLE],
  hash: ["hashes the console's password", async () => (await browser()).HASH],
};

const rows = Object.entries(COMMANDS).map(([name, [says]]) => `  ${name.padEnd(10)}${says}\n`);

const HELP = `manage COMMAND [options]

All that an operator does with the service. Each command has its own --help;
manage --version prints the release.

${rows.join('')}
${EXIT_CODES}
`;

/** Resolves with the exit code. `terminal`: called once, with the command that runs. */
export async function manage(
  [name = '', ...args]: readonly string[],
  terminal: (command: Partial<Command>) => CommandDependencies,
): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.[1]() : undefined;
  const dependencies = terminal(command ?? {});
  if (command !== undefined) return runCommand(command, args, dependencies);
  const { out, err, version } = dependencies;
  if (['--help', '-h', '--version'].includes(name)) {
    out(name === '--version' ? `${version}\n` : HELP);
    return EXIT_DONE;
  }
  err(
    `${name === '' ? 'no command is given' : `unknown command ${JSON.stringify(name)}`}\n${HELP}`,
  );
  return EXIT_WRONG_USE;
}
