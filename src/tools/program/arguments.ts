// Reads the command line, the same way for every program and sub-command: Node's
// `parseArgs`, the options that all of them have, and one sentence for what is wrong.

import { parseArgs } from 'node:util';
import { UsageError } from './ending.js';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for its value in the help. */
  readonly value?: string;
  /** What it does: a line of the help, or several. Without it the help has no line of its own. */
  readonly says?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** An option with a value. */
export const text = (value: string, says: string) => ({ type: 'string', value, says }) as const;
/** One that may be given again. */
export const texts = (value: string, says: string) =>
  ({ type: 'string', multiple: true, value, says }) as const;
export const flag = (says: string) => ({ type: 'boolean', says }) as const;

/**
 * Not `--env-file`: Node 20 looks for that one among a script's own arguments, too, and ends
 * with exit code 9 where it does not find the file.
 */
export const COMMON = {
  settings: texts(
    'FILE',
    "reads the settings from FILE, such as the service's own;\nthe environment goes first. Also: --version, --help, -h",
  ),
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const satisfies Options;

interface Described<T extends Options> {
  readonly name: string;
  readonly usage: string;
  readonly options: T;
}

/** What the command line says. Throws a `UsageError` of one sentence and the usage. */
export function readArguments<T extends Options>(command: Described<T>, args: readonly string[]) {
  const { values, positionals } = parsed(command, args);
  // Only what is common is looked at here, and TypeScript cannot take it out of the generic type.
  const common = values as { help?: boolean; version?: boolean; settings?: string[] };
  const asked = common.help ? ('help' as const) : common.version ? ('version' as const) : undefined;
  return {
    values,
    /** The one argument that is no option; '' for a command that takes none. */
    file: asked === undefined ? fileIn(command, positionals) : '',
    /** What shall be printed, in place of any work. */
    asked,
    /** Where settings are, besides the environment. */
    settingsFiles: common.settings ?? [],
  };
}

function parsed<T extends Options>(command: Described<T>, args: readonly string[]) {
  try {
    const options = { ...COMMON, ...command.options };
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw misunderstood(command, sentenceOf(error));
  }
}

function fileIn(command: Described<Options>, positionals: readonly string[]): string {
  const { name, usage } = command;
  const [first, ...more] = positionals;
  if (!usage.startsWith('FILE')) {
    if (first === undefined) return '';
    throw misunderstood(command, `${name} takes only options; got ${JSON.stringify(first)}`);
  }
  if (first !== undefined && more.length === 0) return first;
  throw misunderstood(command, `${name} takes one FILE; ${positionals.length} are given`);
}

function misunderstood({ name, usage }: Described<Options>, sentence: string): UsageError {
  return new UsageError(
    `${sentence} (${name} --help says what it takes)\nusage: ${name} ${usage}`.trimEnd(),
  );
}

/** Throws a `UsageError` where an option that must be given is missing or empty. */
export function required(name: string, wanted: string, value: string | undefined): string {
  if (value) return value;
  throw new UsageError(`${name} is missing; it must be ${wanted}`);
}

/** Node's message, without its hint on positional arguments, which does not help here. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\.? To specify|\n/, 1)[0]?.replace(/\.$/, '') ?? message;
}
