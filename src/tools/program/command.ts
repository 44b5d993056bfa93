// A command of the operator, from its words to its exit code.

import { parseArgs } from 'node:util';
import type { CommandDependencies } from './command-dependencies.js';
import { EXIT_DONE, exitCodeOf, messageOf, UsageError } from './ending.js';
import { withSettingsFiles } from './settings-file.js';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of its value in the help. */
  readonly value?: string;
  /** A line of the help, or several. Without it the help has no line of its own. */
  readonly says?: string;
}

type Options = Readonly<Record<string, Option>>;

/** An option with a value. */
export const text = (value: string, says: string) => ({ type: 'string', value, says }) as const;
/** One that may be repeated. */
export const texts = (value: string, says: string) =>
  ({ type: 'string', multiple: true, value, says }) as const;
export const flag = (says: string) => ({ type: 'boolean', says }) as const;

/**
 * Not `--env-file`: Node 20 looks for it among a script's own arguments, too, and exits
 * with code 9 if it doesn't find the file.
 */
const COMMON = {
  settings: texts('FILE', 'of settings; the environment overrides it'),
  help: { type: 'boolean', short: 'h', says: 'prints this; --version prints the release' },
  version: { type: 'boolean' },
} as const satisfies Options;

/**
 * What Ctrl-C does. `at once`: ends the process. `orderly`: asks the work, by
 * `interrupted`, to end what is under way. `own`: the command listens for it.
 */
export type Ending = 'at once' | 'orderly' | 'own';

interface Description<T extends Options> {
  /** As messages call it, such as `manage import`. */
  readonly name: string;
  /** What follows the name. `FILE` at its beginning: the command takes one argument. */
  readonly usage: string;
  /** What it does, in a few lines of its help. */
  readonly about: string;
  readonly options?: T;
  /** Settings that it reads, in a line of its help. */
  readonly settings?: string;
  readonly ending?: Ending;
  /** Whether it processes so much data that memory must be kept small. */
  readonly isFrugal?: true;
  /** Resolves with the exit code, if it is not 0; what it throws is printed as one sentence. */
  run(given: Given<T>, dependencies: CommandDependencies): Promise<number | undefined>;
}

interface Given<T extends Options> {
  readonly values: ReturnType<typeof parsed<T>>['values'];
  /** The one argument, or ''. */
  readonly file: string;
}

export interface Command extends Pick<Description<Options>, 'ending' | 'isFrugal'> {
  /** One screen, for --help. Its first paragraph is the usage. */
  readonly help: string;
  /** Resolves with the exit code. */
  run(args: readonly string[], dependencies: CommandDependencies): Promise<number>;
}

export function commandOf<const T extends Options>(description: Description<T>): Command {
  const { ending, isFrugal } = description;
  const help = helpOf(description);
  return {
    ...(ending && { ending }),
    ...(isFrugal && { isFrugal }),
    help,
    async run(args, dependencies) {
      try {
        const { values, positionals } = parsed(description, args);
        // Only the common options are read here, and TypeScript can't take them out of the generic type.
        const common = values as { help?: boolean; version?: boolean; settings?: string[] };
        if (common.help || common.version) {
          dependencies.out(common.help ? help : `${dependencies.version}\n`);
          return EXIT_DONE;
        }
        const file = fileIn(description, positionals);
        const environment = withSettingsFiles(dependencies.environment, common.settings ?? []);
        const code = await description.run({ values, file }, { ...dependencies, environment });
        return code ?? EXIT_DONE;
      } catch (error) {
        dependencies.err(`${messageOf(error)}\n`);
        return exitCodeOf(error);
      }
    },
  };
}

function parsed<T extends Options>(description: Description<T>, args: readonly string[]) {
  try {
    const options = { ...COMMON, ...(description.options as T) };
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's message, without its hint on positional arguments, which does not help here.
    const [sentence = ''] = messageOf(error).split(/\.? To specify|\n/, 1);
    throw misunderstood(description, sentence.replace(/\.$/, ''));
  }
}

function fileIn(description: Description<Options>, given: readonly string[]): string {
  const { name, usage } = description;
  const wanted = usage.startsWith('FILE') ? 1 : 0;
  if (given.length === wanted) return given[0] ?? '';
  const takes = wanted === 1 ? 'takes one FILE' : 'takes only options';
  throw misunderstood(description, `${name} ${takes}; got ${JSON.stringify(given)}`);
}

function misunderstood({ name, usage }: Description<Options>, sentence: string): UsageError {
  const line = `usage: ${name} ${usage}`.trimEnd();
  return new UsageError(`${sentence} (${name} --help says what it takes)\n${line}`);
}

export const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 usage error, 130 stopped with Ctrl-C.';

function helpOf({ name, usage, about, options = {}, settings }: Description<Options>): string {
  const given: [string, string][] = Object.entries<Option>({ ...options, ...COMMON }).flatMap(
    ([option, { value = '', says }]) =>
      says === undefined ? [] : [[`--${option} ${value}`.trimEnd(), says]],
  );
  const parts = [`${name} ${usage}`.trimEnd(), about, rowsOf(given)];
  if (settings !== undefined) parts.push(`Settings: ${settings}.`);
  return `${parts.join('\n\n')}\n${EXIT_CODES}\n`;
}

/** Two columns: a name, and a line or several about it. */
export function rowsOf(rows: readonly (readonly [name: string, says: string])[]): string {
  const column = 24;
  const indented = (says: string) => says.replaceAll('\n', `\n${' '.repeat(column)}`);
  return rows
    .map(([name, says]) => `${`  ${name}`.padEnd(column - 1)} ${indented(says)}`)
    .join('\n');
}

/** Throws a `UsageError` if a required option is missing or empty. */
export function required(name: string, wanted: string, value: string | undefined): string {
  if (value) return value;
  throw new UsageError(`${name} is missing; it must be ${wanted}`);
}

/** Undefined if the option is not given. */
export function oneOf<const T extends string>(
  option: string,
  values: readonly T[],
  given: string | undefined,
): T | undefined {
  const value = values.find((known) => known === given);
  if (given === undefined || value !== undefined) return value;
  const wanted = values.length === 2 ? values.join(' or ') : `one of ${values.join(', ')}`;
  throw new UsageError(`${option} is ${JSON.stringify(given)}; it must be ${wanted}`);
}
