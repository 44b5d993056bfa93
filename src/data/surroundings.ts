// What a command gets from the process that runs it: settings, streams, time.

import { isAbsolute, resolve } from 'node:path';

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Results. */
  out(text: string): void;
  /** Progress and warnings. */
  err(text: string): void;
  /** So many of the things that an event counts are done; for a program that shows it itself. */
  progressed?(event: string, done: number, total: number): void;
  /** Whether a person watches the progress. */
  readonly isTerminal: boolean;
  /** Ends with Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Milliseconds since 1970, UTC. */
  now(): number;
  randomBytes(size: number): Uint8Array;
}

/** What commands that export get. */
export interface DataSurroundings extends Surroundings {
  /** The version of this program, for manifests. */
  readonly version: string;
}

/** A path as it was typed: npm runs scripts in the package's folder, wherever it was called. */
export function pathOf(surroundings: Surroundings, typed: string): string {
  return isAbsolute(typed) ? typed : resolve(surroundings.environment['INIT_CWD'] ?? '', typed);
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
