// The folder of the backups: which files in it are backups, and which of them may be removed.

import { access, constants, readdir } from 'node:fs/promises';
import { fileErrorText } from './file-copy.js';

/** After the database's name: the time in UTC, and the ending of an unfinished backup and SQLite's files beside it. */
const NAME_END =
  /^-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db(\.part(?:-journal|-wal|-shm)?)?$/;

/** A finished backup. */
export interface SizedBackup {
  readonly name: string;
  /** Milliseconds since 1970, UTC: the time in its name. */
  readonly takenAt: number;
  readonly bytes: number;
}

/** `stem`: the database's name without its extension. */
export function backupName(stem: string, takenAt: number): string {
  return `${stem}-${new Date(takenAt).toISOString().replaceAll(':', '-')}.db`;
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

/** The finished backups among the names, newest first, and what is left of unfinished ones. */
export function backupsIn(names: readonly string[], stem: string) {
  const finished: { readonly name: string; readonly takenAt: number }[] = [];
  const unfinished: string[] = [];
  for (const name of names.filter((name) => name.startsWith(stem))) {
    const [, day, hour, minute, second, part] = NAME_END.exec(name.slice(stem.length)) ?? [];
    const takenAt = Date.parse(`${day}T${hour}:${minute}:${second}`);
    if (Number.isNaN(takenAt)) continue;
    if (part === undefined) finished.push({ name, takenAt });
    else unfinished.push(name);
  }
  return { finished: finished.sort((a, b) => b.takenAt - a.takenAt), unfinished };
}

/**
 * A backup with more than this many times the bytes of every newer one stays: a service that lost its
 * records keeps taking backups of almost nothing, which would push out the good ones.
 */
const MUCH_MORE = 1.5;

/**
 * What to remove so that `keep` backups stay: first those with a time after `now`, which a wrong clock
 * made, then the oldest. `finished`: newest first. `heldBack`: those that stay only because of their size.
 */
export function rotationOf(finished: readonly SizedBackup[], now: number, keep: number) {
  const isPast = ({ takenAt }: SizedBackup) => takenAt <= now;
  const removable: string[] = [];
  const heldBack: SizedBackup[] = [];
  let most = 0;
  const ranked = [...finished.filter(isPast), ...finished.filter((file) => !isPast(file))];
  for (const [rank, file] of ranked.entries()) {
    if (rank >= keep && file.bytes <= MUCH_MORE * most) {
      removable.push(file.name);
      continue;
    }
    if (rank >= keep) heldBack.push(file);
    most = Math.max(most, file.bytes);
  }
  return { removable, heldBack };
}
