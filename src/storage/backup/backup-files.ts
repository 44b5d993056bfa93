// The folder of the backups: which files in it are backups, and which of them may go.

import { access, constants, readdir } from 'node:fs/promises';
import { fileErrorText } from './file-copy.js';

/** The names in the folder. Rejects with one sentence if it cannot be read, or no backup can be put into it. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    return names;
  } catch (error) {
    throw new Error(`the folder of the backups ${folder} cannot be used: ${fileErrorText(error)}`);
  }
}

/** After the database's name: the time in UTC, and what an unfinished backup and SQLite's files beside it add. */
const NAME_END =
  /^-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db(\.part(?:-journal|-wal|-shm)?)?$/;

export interface BackupFile {
  readonly name: string;
  /** Milliseconds since 1970, UTC: the time in its name. */
  readonly takenAt: number;
}

/** `stem`: the database's name without its ending. */
export function backupName(stem: string, takenAt: number): string {
  return `${stem}-${new Date(takenAt).toISOString().replaceAll(':', '-')}.db`;
}

/** The finished backups among the names, newest first, and what is left of unfinished ones. */
export function backupsIn(
  names: readonly string[],
  stem: string,
): { readonly finished: BackupFile[]; readonly unfinished: string[] } {
  const finished: BackupFile[] = [];
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
 * A backup with more than this many times the records of every newer one stays. A service that
 * lost its records keeps taking backups of almost nothing, which would push out the good ones.
 */
const MUCH_MORE = 1.5;

/**
 * What goes so that `keep` backups stay: first those with a time after `now`, which a wrong clock
 * made, then the oldest. `finished`: newest first. `counts`: records by name; undefined for a file
 * that isn't a database. `heldBack`: stay only because of what they hold.
 */
export function rotationOf(
  finished: readonly BackupFile[],
  now: number,
  keep: number,
  counts: ReadonlyMap<string, number | undefined>,
): { readonly removable: string[]; readonly heldBack: string[] } {
  const isPast = ({ takenAt }: BackupFile) => takenAt <= now;
  const toStay = [...finished.filter(isPast), ...finished.filter((file) => !isPast(file))];
  const removable: string[] = [];
  const heldBack: string[] = [];
  let most = 0;
  for (const [rank, { name }] of toStay.entries()) {
    const records = counts.get(name) ?? 0;
    if (rank >= keep) (records > MUCH_MORE * most ? heldBack : removable).push(name);
    if (!removable.includes(name)) most = Math.max(most, records);
  }
  return { removable, heldBack };
}
