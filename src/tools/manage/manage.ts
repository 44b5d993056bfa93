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

const HELP = `manage COMMAND [options]

All that an operator does with the service. Each command has its own --help.

${Object.entries(COMMANDS)
  .map(([name, [says]]) => `  ${name.padEnd(10)}${says}\n`)
  .join('')}
  --version   prints the release
  --help, -h  prints this

${EXIT_CODES}
`;

/** Resolves with the exit code. `terminal`: called once, with the command that runs. */
export async function manage(
  [name = '', ...args]: readonly string[],
  terminal: (command: Partial<Command>) => CommandDependencies,
): Promise<number> {
  const [, load] = (Object.hasOwn(COMMANDS, name) && COMMANDS[name]) || [];
  if (load !== undefined) {
    const command = await load();
    return runCommand(command, args, terminal(command));
  }
  const { out, err, version } = terminal({});
  if (['--help', '-h', '--version'].includes(name)) {
    out(name === '--version' ? `${version}\n` : HELP);
    return EXIT_DONE;
  }
  const problem = name === '' ? 'no command is given' : `unknown command ${JSON.stringify(name)}`;
  const names = Object.keys(COMMANDS).join(', ');
  err(`${problem}; it must be one of ${names} (manage --help says what each does)\n`);
  return EXIT_WRONG_USE;
}
