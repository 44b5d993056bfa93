// Reads the command line, the same way for every program and sub-command: Node's
// `parseArgs`, the options that all of them have, and one sentence for what is wrong.

import { parseArgs } from 'node:util';
import { UsageError } from './ending.js';

export type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/**
 * Not `--env-file`: Node 20 looks for that one among a script's own arguments, too, and ends
 * with exit code 9 where it does not find the file.
 */
const COMMON = {
  settings: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const satisfies Options;

/** The lines of a program's help on the options that all programs have. */
export const COMMON_HELP = `  --settings FILE       reads settings from FILE, the one that the service's unit has;
                        the environment goes first. May be given again
  --version             prints the release
  --help, -h            prints this
`;

/** A program, or a sub-command of one. */
export interface Command<T extends Options> {
  /** As messages call it. */
  readonly name: string;
  /** What --help prints: one screen. Its first paragraph is the usage. */
  readonly help: string;
  readonly options: T;
}

/** What the command line says. Throws a `UsageError` of one sentence and the usage. */
export function readArguments<T extends Options>(command: Command<T>, args: readonly string[]) {
  try {
    const options = { ...COMMON, ...command.options };
    const read = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    // Only what is common is looked at here, and TypeScript cannot take it out of the generic type.
    const common = read.values as { help?: boolean; version?: boolean; settings?: string[] };
    return {
      ...read,
      /** What shall be printed, in place of any work. */
      asked: common.help ? ('help' as const) : common.version ? ('version' as const) : undefined,
      /** Where settings are, besides the environment. */
      settingsFiles: common.settings ?? [],
    };
  } catch (error) {
    throw misunderstood(command, sentenceOf(error));
  }
}

/** The error of a command line that says something else than the command takes. */
export function misunderstood({ name, help }: Omit<Command<Options>, 'options'>, sentence: string) {
  const [usage = ''] = help.split('\n\n', 1);
  return new UsageError(
    `${sentence} (${name} --help says what it takes)\nusage: ${usage.trimEnd()}`,
  );
}

/** For a command that takes options only. */
export function expectNoPositionals(
  command: Omit<Command<Options>, 'options'>,
  [first]: readonly string[],
): void {
  if (first === undefined) return;
  throw misunderstood(
    command,
    `${command.name} takes options only; ${JSON.stringify(first)} is none`,
  );
}

/** For a command that takes one argument, and nothing else that is no option. */
export function onlyPositional(
  command: Omit<Command<Options>, 'options'>,
  positionals: readonly string[],
): string {
  const [only, ...more] = positionals;
  if (only !== undefined && more.length === 0) return only;
  throw misunderstood(command, `${command.name} takes one FILE; ${positionals.length} are given`);
}

/** Node's message, without its hint on positional arguments, which does not help here. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\.? To specify|\n/, 1)[0]?.replace(/\.$/, '') ?? message;
}
