// The folder of the backups, and which of them may be removed.

import { access, constants, readdir } from 'node:fs/promises';
import { fileErrorText } from '../file/file-copy.js';

/** A finished backup. */
export interface SizedBackup {
  readonly name: string;
  /** Milliseconds since 1970, UTC: the time in its name. */
  readonly takenAt: number;
  readonly bytes: number;
}

/** The names in the folder. Rejects with one sentence if it can't be read, or no backup can be written to it. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    return names;
  } catch (error) {
    throw new Error(`the folder of the backups ${folder} cannot be used: ${fileErrorText(error)}`);
  }
}

/**
 * A backup that is smaller than the older one by more than this doesn't replace it: a service that lost
 * its records keeps taking backups of almost nothing, which would push out the good ones.
 */
const MUCH_LARGER = 1.5;

/** Of the backups beyond the newest `keep`: those to remove, and those that no newer one replaces. */
export function rotationOf(newestFirst: readonly SizedBackup[], keep: number) {
  const [removable, irreplaceable]: [string[], string[]] = [[], []];
  let largest = 0;
  for (const [rank, { name, bytes }] of newestFirst.entries()) {
    const isReplaced = bytes <= MUCH_LARGER * largest;
    if (rank >= keep) (isReplaced ? removable : irreplaceable).push(name);
    largest = Math.max(largest, bytes);
  }
  return { removable, irreplaceable };
}
