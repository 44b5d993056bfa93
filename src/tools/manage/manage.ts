// The commands of the operator, and which of them is meant. Each is loaded when it is
// called: `manage ready` runs every few seconds and needs none of the others.

import { nearest } from '../../hosts/settings/warnings.js';
import type { Command } from '../program/command.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_WRONG_USE } from '../program/ending.js';
import { exitCodes, rowsOf } from '../program/help.js';

interface Entry {
  /** What `manage --help` says of it. */
  readonly says: string;
  load(): Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    says: 'runs the service',
    load: async () => (await import('./serve.js')).serveCommand('manage serve'),
  },
  check: {
    says: 'looks at all that a start needs, and starts nothing',
    load: async () => (await import('./serve.js')).CHECK,
  },
  ready: {
    says: 'asks whether the service can do its work',
    load: async () => (await import('./ready.js')).READY,
  },
  import: {
    says: "creates an account's records from a file",
    load: async () => (await import('./import.js')).importCommand(),
  },
  export: {
    says: "writes an account's records, or those of all, into files",
    load: async () => (await import('./export.js')).exportCommand(),
  },
  erase: {
    says: 'exports an account, then deletes all of it',
    load: async () => (await import('./erase.js')).eraseCommand(),
  },
  restore: {
    says: 'puts a backup in the place of the database',
    load: async () => (await import('./restore.js')).RESTORE,
  },
  dump: {
    says: 'writes everything into one file, from any host',
    load: async () => (await import('./dump.js')).dumpCommand(),
  },
  load: {
    says: 'puts a dump into an empty database, on any host',
    load: async () => (await import('./load.js')).loadCommand(),
  },
  console: {
    says: "runs the operator's console",
    load: async () => (await import('./console.js')).CONSOLE,
  },
  hash: {
    says: "makes the line that sets the console's password",
    load: async () => (await import('./hash.js')).HASH,
  },
};

const USAGE = 'manage COMMAND [options]';

const HELP = `${USAGE}

All that an operator does with the service. Each command has its own --help.

${rowsOf(Object.entries(COMMANDS).map(([name, { says }]) => [name, says]))}

  --version             prints the release
  --help, -h            prints this

${exitCodes(true)}
`;

/** Resolves with the exit code. `terminal`: called once, with the command that runs. */
export async function manage(
  [name, ...args]: readonly string[],
  terminal: (command?: Command) => CommandDependencies,
): Promise<number> {
  const entry = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name ?? ''] : undefined;
  if (entry !== undefined) {
    const command = await entry.load();
    return command.run(args, terminal(command));
  }
  const { out, err, version } = terminal();
  if (name === '--help' || name === '-h' || name === 'help' || name === '--version') {
    out(name === '--version' ? `${version}\n` : HELP);
    return EXIT_DONE;
  }
  err(`${problemOf(name)} (manage --help says what each does)\nusage: ${USAGE}\n`);
  return EXIT_WRONG_USE;
}

function problemOf(name: string | undefined): string {
  const names = Object.keys(COMMANDS);
  const wanted = `it must be one of ${names.join(', ')}`;
  if (name === undefined) return `no command is given; ${wanted}`;
  const meant = nearest(name, names) ?? names.find((known) => known.startsWith(name));
  return `unknown command ${JSON.stringify(name)}; ${meant === undefined ? wanted : `did you mean ${meant}?`}`;
}
