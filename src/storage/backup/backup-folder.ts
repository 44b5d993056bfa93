// The folder of the backups: what is in it, and which of them may be removed.

import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { explained } from '../file/connection-errors.js';

/** A finished backup. */
export interface SizedBackup {
  readonly name: string;
  /** Milliseconds since 1970, UTC: the time in its name. */
  readonly takenAt: number;
  readonly bytes: number;
}

/** After the database's name: the time in UTC, and the ending of an unfinished backup and SQLite's files beside it. */
const NAME_END =
  /^-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db(\.part(?:-journal|-wal|-shm)?)?$/;
/**
 * A backup that is smaller than the older one by more than this doesn't replace it: a service that lost
 * its records keeps taking backups of almost nothing, which would push out the good ones.
 */
const MUCH_LARGER = 1.5;

/** `stem`: the database's name without its extension. */
export function backupName(stem: string, takenAt: number): string {
  return `${stem}-${new Date(takenAt).toISOString().replaceAll(':', '-')}.db`;
}

/**
 * The finished backups of the database, newest first, and what is left of unfinished ones. Rejects with
 * one sentence if the folder can't be read, or no backup can be written to it.
 */
export async function backupsIn(folder: string, stem: string) {
  const finished: SizedBackup[] = [];
  const unfinished: string[] = [];
  const names = await readdir(folder)
    .then((names) => access(folder, constants.W_OK | constants.X_OK).then(() => names))
    .catch((error: unknown) => {
      throw new Error(`the folder of the backups ${folder} cannot be used: ${explained(error)}`);
    });
  for (const name of names.filter((name) => name.startsWith(stem))) {
    const [, day, hour, minute, second, part] = NAME_END.exec(name.slice(stem.length)) ?? [];
    const takenAt = Date.parse(`${day}T${hour}:${minute}:${second}`);
    if (Number.isNaN(takenAt)) continue;
    if (part !== undefined) unfinished.push(name);
    // It may be removed in the meantime.
    else {
      const found = await stat(join(folder, name)).catch(() => undefined);
      finished.push({ name, takenAt, bytes: found?.size ?? 0 });
    }
  }
  return { finished: finished.sort((a, b) => b.takenAt - a.takenAt), unfinished };
}

/** Of the backups beyond the newest `keep`: those to remove, and those that no newer one replaces. */
export function rotationOf(newestFirst: readonly SizedBackup[], keep: number) {
  const isReplaced = ({ bytes }: SizedBackup, rank: number) =>
    newestFirst.slice(0, rank).some((newer) => bytes <= MUCH_LARGER * newer.bytes);
  const removable = newestFirst.filter((file, rank) => rank >= keep && isReplaced(file, rank));
  const held = newestFirst.filter((file, rank) => rank >= keep && !isReplaced(file, rank));
  return { removable, held };
}
