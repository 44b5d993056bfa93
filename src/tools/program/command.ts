// A command of the operator, from its words to its exit code.

import { type Options, readArguments } from './arguments.js';
import type { CommandDependencies } from './command-dependencies.js';
import { EXIT_DONE, exitCodeOf, messageOf } from './ending.js';
import { helpOf, type Row } from './help.js';
import { withSettingsFiles } from './settings-file.js';

/**
 * What Ctrl-C does. `at once`: ends the process. `orderly`: tells the work, by
 * `interrupted`, to end what is under way. `own`: the command listens itself.
 */
export type Ending = 'at once' | 'orderly' | 'own';

export interface CommandDescription<T extends Options> {
  /** As messages call it, such as `manage import`. */
  readonly name: string;
  /** What stands behind the name. `FILE` at its beginning: the command takes one argument. */
  readonly usage: string;
  /** What it does, in a few lines of its help. */
  readonly about: string;
  readonly options: T;
  /** Settings that its help names. */
  readonly settings?: readonly Row[];
  readonly ending?: Ending;
  /** Whether it works through so much data that memory is to be kept small. */
  readonly isFrugal?: true;
  /**
   * Does the work. Resolves with the exit code; what it throws is printed as one sentence.
   * `file`: the one argument, or ''.
   */
  run(
    given: Pick<ReturnType<typeof readArguments<T>>, 'values' | 'file'>,
    dependencies: CommandDependencies,
  ): Promise<number>;
}

export interface Command {
  /** What --help prints: one screen. Its first paragraph is the usage. */
  readonly help: string;
  readonly ending: Ending;
  readonly isFrugal: boolean;
  /** Resolves with the exit code: help or version where they are asked for, else the work. */
  run(args: readonly string[], dependencies: CommandDependencies): Promise<number>;
}

export function commandOf<const T extends Options>(description: CommandDescription<T>): Command {
  const help = helpOf(description);
  const { ending = 'at once', isFrugal = false } = description;
  return {
    help,
    ending,
    isFrugal,
    async run(args, dependencies) {
      try {
        const { asked, settingsFiles, values, file } = readArguments(description, args);
        if (asked !== undefined) {
          dependencies.out(asked === 'help' ? help : `${dependencies.version}\n`);
          return EXIT_DONE;
        }
        const environment = withSettingsFiles(dependencies.environment, settingsFiles);
        return await description.run({ values, file }, { ...dependencies, environment });
      } catch (error) {
        dependencies.err(`${messageOf(error)}\n`);
        return exitCodeOf(error);
      }
    },
  };
}
