// The parts that a command gets from the process that runs it: settings, streams, time.

import { isAbsolute, resolve } from 'node:path';
import { withSettingsFiles } from '../program/settings-file.js';
import { misspelledNames } from '../settings/misspelled-names.js';

export interface CommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints results. */
  out(text: string): void;
  /** Prints progress and warnings. */
  err(text: string): void;
  /** Called with the progress of an event, such as rows that are imported. For a program that shows it itself. */
  progressed?(event: string, done: number, total: number): void;
  /** Whether a person watches the progress. */
  readonly isTerminal: boolean;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Milliseconds since 1970, UTC. */
  now(): number;
  randomBytes(size: number): Uint8Array;
}

/** The parts that commands with an export get. */
export interface DataCommandDependencies extends CommandDependencies {
  /** The version of this program, for manifests. */
  readonly version: string;
}

/** The same parts with the settings of files. Warns of names that are almost settings. Throws a `UsageError`. */
export function withSettings<T extends CommandDependencies>(
  dependencies: T,
  files: readonly string[],
): T {
  const environment = withSettingsFiles(dependencies.environment, files);
  for (const { hint } of misspelledNames(environment)) dependencies.err(`warning: ${hint}\n`);
  return { ...dependencies, environment };
}

/** The path that the operator meant. npm runs scripts in the package's folder, wherever it was called. */
export function pathOf(dependencies: CommandDependencies, typed: string): string {
  return isAbsolute(typed) ? typed : resolve(dependencies.environment['INIT_CWD'] ?? '', typed);
}

/** Resolves after the time, or at once when the signal ends. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve_) => {
    if (signal.aborted) return resolve_();
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve_();
    }
  });
}
