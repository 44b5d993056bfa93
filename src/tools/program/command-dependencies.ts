// What a command gets from the process that runs it: settings, streams, time.

import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Environment } from '../../hosts/settings/schema.js';

export interface CommandDependencies {
  /** With the settings of the files that the command line names. */
  readonly environment: Environment;
  /** Prints results. */
  out(text: string): void;
  /** Prints progress and warnings. */
  err(text: string): void;
  /** For a program that shows the progress itself, such as rows that are imported. */
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
  /** How long to wait for a service that is busy or unavailable. */
  readonly waits?: Waits;
}

export interface Waits {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A command gives up after this time without an answer. */
  readonly patienceMs: number;
  /** The time-out of one request. */
  readonly timeoutMs: number;
  /** How long a write without an answer may still be on its way, once the service answers again. */
  readonly onItsWayMs: number;
}

/** The path that the operator meant. npm runs scripts in the package's folder, wherever it was called. */
export function pathOf({ environment }: { environment: Environment }, typed: string): string {
  return resolve(environment['INIT_CWD'] ?? '', typed);
}

/** Resolves after the time, or at once when the signal ends. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
