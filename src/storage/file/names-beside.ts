// The names of the files beside a database file, apart from SQLite's own: each shows that a
// database was there.

import { basename, join, parse } from 'node:path';

/** The mark whether the file was closed, after the database's path. */
export const STATE_SUFFIX = '-state';
/** The lock of one service for each file, after the database's path. The file stays empty and may stay: only its lock counts. */
export const LOCK_SUFFIX = '-service-lock';

/**
 * - `before-restore`: the database that a restore replaced.
 * - `saved`: a copy of a database whose file disappeared while the service ran.
 */
export type KeptAs = 'before-restore' | 'saved';

/** `now`: milliseconds since 1970, UTC. */
export function keptPath(path: string, as: KeptAs, now: number): string {
  const { dir, ext } = parse(path);
  const time = new Date(now).toISOString().replaceAll(':', '-');
  return join(dir, `${keptNameStart(path, as)}${time}${ext}`);
}

export function keptNameStart(path: string, as: KeptAs): string {
  return `${parse(path).name}-${as}-`;
}

/** Whether only a database at `path` leaves a file of this name. A first start that was killed leaves none of them. */
export function isBeside(path: string, name: string): boolean {
  const file = basename(path);
  return [
    ...[file + STATE_SUFFIX, file + LOCK_SUFFIX, `.${file}-litestream`],
    ...[keptNameStart(path, 'before-restore'), keptNameStart(path, 'saved')],
  ].some((start) => name.startsWith(start));
}
