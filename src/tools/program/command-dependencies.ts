// The parts that a command gets from the process that runs it: settings, streams, time.

import { resolve } from 'node:path';
import type { Environment } from '../../hosts/settings/schema.js';
import { misspelledNames } from '../../hosts/settings/warnings.js';

export interface CommandDependencies {
  /** With the settings of the files that the command line names. */
  readonly environment: Environment;
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
  /** The release that the program belongs to. */
  readonly version: string;
}

/** Warns of names that are almost settings. */
export function warnOfSlips({
  environment,
  err,
}: Pick<CommandDependencies, 'environment' | 'err'>): void {
  for (const { hint } of misspelledNames(environment)) err(`warning: ${hint}\n`);
}

/** The path that the operator meant. npm runs scripts in the package's folder, wherever it was called. */
export function pathOf({ environment }: { environment: Environment }, typed: string): string {
  return resolve(environment['INIT_CWD'] ?? '', typed);
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
