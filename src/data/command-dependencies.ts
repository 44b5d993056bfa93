// The parts that a command gets from the process that runs it: settings, streams, time.

import { isAbsolute, resolve } from 'node:path';

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
