// The names of the files beside a database file, apart from SQLite's own: each shows that a
// database was there.

import { basename, join, parse } from 'node:path';

/** The mark whether the file was closed, after the database's path. */
export const STATE_SUFFIX = '-state';
/** The lock of one service for each file, after the database's path. The file stays empty and may stay: only its lock counts. */
export const LOCK_SUFFIX = '-service-lock';

/** Litestream's own folder. */
export function litestreamFolderName(path: string): string {
  return `.${basename(path)}-litestream`;
}

/**
 * - `before-restore`: the database that a restore replaced.
 * - `saved`: a copy of a database whose file went while the service ran.
 */
export type KeptAs = 'before-restore' | 'saved';

export const KEPT_AS: readonly KeptAs[] = ['before-restore', 'saved'];

/** `now`: milliseconds since 1970, UTC. */
export function keptPath(path: string, as: KeptAs, now: number): string {
  const { dir, ext } = parse(path);
  const time = new Date(now).toISOString().replaceAll(':', '-');
  return join(dir, `${keptNameStart(path, as)}${time}${ext}`);
}

export function keptNameStart(path: string, as: KeptAs): string {
  return `${parse(path).name}-${as}-`;
}
