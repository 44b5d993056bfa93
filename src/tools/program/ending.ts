// How a program ends: its exit code, and one sentence if it can't do its work.

import { SettingError } from '../../hosts/settings/setting-error.js';

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_WRONG_USE = 2;
/** 128 + SIGINT. */
export const EXIT_INTERRUPTED = 130;

/** The command line cannot be understood, or settings are missing. */
export class UsageError extends Error {}

/** The operator pressed Ctrl-C. The message says how to resume. */
export class Interrupted extends Error {}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return EXIT_INTERRUPTED;
  const isWrongUse = error instanceof UsageError || error instanceof SettingError;
  return isWrongUse ? EXIT_WRONG_USE : EXIT_FAILED;
}

/** What a person reads: one sentence, no stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
