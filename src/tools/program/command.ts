// A command of the operator. Its help is the table of its options.

import { parseArgs } from 'node:util';
import { misspelledNames } from '../../hosts/settings/warnings.js';
import type { CommandDependencies } from './command-dependencies.js';
import { EXIT_DONE, exitCodeOf, messageOf, UsageError } from './ending.js';
import { withSettingsFiles } from './settings-file.js';

export const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 usage error, 130 stopped with Ctrl-C.';

/** The last lines of every help. */
export const COMMON = `\
  --settings FILE…      of settings; the environment overrides them
  --help, -h            prints this

${EXIT_CODES}
`;

export interface Command {
  /**
   * One screen. Its first line is the usage; `FILE` behind the name: the command takes one argument.
   * From the first line that begins with `  --` it has each option, with its value after one space;
   * `…`: the option may be repeated.
   */
  readonly help: string;
  /**
   * What Ctrl-C does. `at once`, the default: ends the process. `orderly`: asks the work, by
   * `interrupted`, to end what is under way. `own`: the command listens for it.
   */
  readonly ending?: 'at once' | 'orderly' | 'own';
  /** Resolves with the exit code, if it is not 0; what it throws is printed as one sentence. */
  run(given: Given, dependencies: CommandDependencies): Promise<number | undefined>;
}

/** Resolves with the exit code. */
export async function runCommand(
  { help, ending, run }: Command,
  args: readonly string[],
  dependencies: CommandDependencies,
): Promise<number> {
  const { out, err } = dependencies;
  try {
    const given = new Given(help, args);
    if (given.flag('help')) {
      out(help);
      return EXIT_DONE;
    }
    const environment = withSettingsFiles(dependencies.environment, given.texts('settings'));
    if (ending !== 'own') {
      for (const { hint } of misspelledNames(environment)) err(`warning: ${hint}\n`);
    }
    return (await run(given, { ...dependencies, environment })) ?? EXIT_DONE;
  } catch (error) {
    err(`${messageOf(error)}\n`);
    return exitCodeOf(error);
  }
}

/** What the command line has. Throws a `UsageError` if the command can't take it. */
export class Given {
  /** The one argument, or ''. */
  readonly file: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(help: string, args: readonly string[]) {
    const [usage = ''] = help.split('\n', 1);
    const name = usage.split(' ', 2).join(' ');
    const wanted = usage.startsWith(`${name} FILE`) ? 1 : 0;
    const options = optionsIn(help.slice(help.indexOf('\n  --')));
    try {
      const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
      const { values, positionals } = parsed;
      if (!values.help && positionals.length !== wanted) {
        throw new Error(`${name} takes ${wanted} FILE; got ${JSON.stringify(positionals)}`);
      }
      this.#values = values;
      this.file = positionals[0] ?? '';
    } catch (error) {
      // Node's message, without its hint on positional arguments, which does not help here.
      const [sentence] = messageOf(error).split(/\.? To specify|\n/, 1);
      throw new UsageError(`${sentence} (${name} --help says what it takes)\nusage: ${usage}`);
    }
  }

  text(name: string): string | undefined {
    return this.#values[name] as string | undefined;
  }

  texts(name: string): readonly string[] {
    return (this.#values[name] ?? []) as readonly string[];
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** `wanted`: what it must be, for the message if it is missing or empty. */
  required(name: string, wanted: string): string {
    const value = this.text(name);
    if (value) return value;
    throw new UsageError(`--${name} is missing; it must be ${wanted}`);
  }

  /** Undefined if the option is not given. */
  oneOf<const T extends string>(name: string, values: readonly T[], given = this.text(name)) {
    const value = values.find((known) => known === given);
    if (given === undefined || value !== undefined) return value;
    const wanted = values.join(', ');
    throw new UsageError(`--${name} is ${JSON.stringify(given)}; it must be one of ${wanted}`);
  }
}

/** The first place of each option in the table declares it. */
function optionsIn(table: string) {
  const found = [...table.matchAll(/--([a-z-]+)(?: (\S+))?/g)].reverse();
  const options = found.map(([, name = '', value]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: value?.includes('…') ?? false }] as const;
  });
  return { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } } as const;
}
