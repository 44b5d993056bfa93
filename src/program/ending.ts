// How a program ends: its exit code, and one sentence where it cannot do its work.

import { SettingError } from '../settings/setting-values.js';

export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
/** The command was not understood: its arguments, or its settings. */
export const EXIT_WRONG_USE = 2;
/** 128 + SIGINT. */
export const EXIT_INTERRUPTED = 130;

/** The command cannot be understood, or its settings are missing: exit code 2. */
export class UsageError extends Error {}

/** The exit code of a command that an error ended. */
export function exitCodeOf(error: unknown): number {
  const isWrongUse = error instanceof UsageError || error instanceof SettingError;
  return isWrongUse ? EXIT_WRONG_USE : EXIT_FAILED;
}
