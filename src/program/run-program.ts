// Runs a program from its command line to its exit code.

import { readFileSync } from 'node:fs';
import { type Command, type Options, readArguments } from './arguments.js';
import { EXIT_DONE, exitCodeOf } from './ending.js';
import { withSettingsFiles } from './settings-file.js';

type Read<T extends Options> = ReturnType<typeof readArguments<T>>;

export interface Call<T extends Options> extends Pick<Read<T>, 'values' | 'positionals'> {
  /** With the settings of the files that the command line names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the command line, prints help or version where one is asked for, else does the
 * work. `entry`: the program's own `import.meta.url`. Resolves with the exit code; a
 * failure is printed as one sentence. Once a process.
 */
export async function runProgram<T extends Options>(
  command: Command<T>,
  entry: string,
  work: (call: Call<T>) => Promise<number>,
): Promise<number> {
  outliveReaders();
  try {
    const { asked, values, positionals, settingsFiles } = readArguments(
      command,
      process.argv.slice(2),
    );
    if (asked !== undefined) {
      process.stdout.write(asked === 'help' ? command.help : `${versionOf(entry)}\n`);
      return EXIT_DONE;
    }
    const environment = withSettingsFiles(process.env, settingsFiles);
    return await work({ values, positionals, environment });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return exitCodeOf(error);
  }
}

/** The release that a built file belongs to. `entry`: its `import.meta.url`. */
export function versionOf(entry: string): string {
  const text = readFileSync(new URL('../package.json', entry), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

/** If the reader of the output has gone, such as `head`, the work goes on. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
