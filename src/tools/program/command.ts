// What a command gets from the process that runs it, and how it ends.

import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../../hosts/settings/schema.js';

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_WRONG_USE = 2;
/** 128 + SIGINT. */
export const EXIT_INTERRUPTED = 130;

/** The command line cannot be understood, or settings are missing. */
export class UsageError extends Error {}

/** The operator pressed Ctrl-C. The message says how to resume. */
export class Interrupted extends Error {}

/** What a person reads: one sentence, no stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface Call {
  /** Once a command runs, with the settings of the files that the command line names. */
  environment: Environment;
  /** Set by the command if it isn't 0. */
  exitCode?: number;
  /** Prints results. */
  out(text: string): void;
  /** Prints progress and warnings. */
  err(text: string): void;
  /** For a program that shows the progress itself, such as rows that are imported. */
  progressed?(event: string, done: number, total: number): void;
  /** Whether a person watches the progress. */
  readonly isTerminal: boolean;
  /** Aborted by Ctrl-C after a call of `listen`. Without one, Ctrl-C ends the process. */
  readonly interrupted: AbortSignal;
  listen?(): void;
  /** Milliseconds since 1970, UTC. */
  now(): number;
  randomBytes(size: number): Uint8Array;
  /** The release that the program belongs to. */
  readonly version: string;
  readonly waits?: Waits;
}

/** How a command waits for a service that is busy or unavailable. */
export interface Waits {
  readonly firstMs: number;
  readonly maxMs: number;
  /** It gives up after this time without an answer. */
  readonly patienceMs: number;
  /** The time-out of one request. */
  readonly timeoutMs: number;
  /** How long a write without an answer may still be on its way, once the service answers again. */
  readonly onItsWayMs: number;
}

/** Gives a command of the program its description, options and action. */
export type Declare = (command: Command, call: Call) => void;

/** The value of an option that may be repeated. */
export function collected(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** The path that the operator meant. npm runs scripts in the package's folder, wherever it was called. */
export function pathOf({ environment }: { environment: Environment }, typed: string): string {
  return resolve(environment['INIT_CWD'] ?? '', typed);
}

/** Resolves after the time, or at once when the signal ends. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}

export type Progress = ReturnType<typeof startProgress>;

/** On a terminal, one line. `noun`: such as `rows`. `done`: those of the total that an earlier run did. */
export function startProgress(
  { isTerminal, err, progressed }: Call,
  { event, noun, total, done = 0 }: { event: string; noun: string; total: number; done?: number },
) {
  let count = done;
  return {
    add(more = 1): void {
      count += more;
      if (isTerminal) err(`\r${count} of ${total} ${noun}`);
      progressed?.(event, count, total);
    },
    stop: () => (isTerminal ? err('\n') : undefined),
  };
}
