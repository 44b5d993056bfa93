// The files beside a database file, apart from SQLite's own: each shows that a database was there.
// One is the mark, such as `service.db-state`, which records
// - whether the log must be there, too: if it was deleted, SQLite opens the file in an earlier state
//   and reports no error;
// - for which file: `litestream restore` puts another one in place, which needs no log;
// - how the file was when it was closed: a start checks a file that has changed since.

import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { syncFolderNow } from '../disk-sync.js';
import { logBytesOf } from './write-ahead-log.js';

const OWNER_ONLY_FILE = 0o600;
export const STATE_SUFFIX = '-state';
/** The lock that allows one service for each file. The lock file is empty and may stay: only its lock counts. */
export const LOCK_SUFFIX = '-service-lock';

/** `before-restore`: what a restore replaced; `saved`: a copy of a database whose file disappeared. */
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

/**
 * The first line. `in use`: a process has the file, or ended without closing it; the last commits
 * are only in the log. `closed`: every commit is in the file, or Litestream has the log and writes
 * it back.
 */
const IN_USE = 'in use\n';
const CLOSED = 'closed\n';

/** Empty if there is none. */
function markOf(database: string): string {
  try {
    return readFileSync(database + STATE_SUFFIX, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a process has the file, or ended without closing it. */
export const isInUse = (database: string) => markOf(database).startsWith(IN_USE);

/**
 * - `inUse` has in its second line which file it is. A file system may give a new file the inode of
 *   one that was removed, so the time of its birth counts, too. Not the device: its number may be
 *   another one after the machine starts again.
 * - `closed` has in a third line the file's content: no program can set the time of the last change.
 */
function marksFor(database: string): { readonly inUse: string; readonly closed: string } {
  const { ino, birthtimeNs, size, ctimeNs } = statSync(database, { bigint: true });
  const identity = `${ino} ${birthtimeNs}\n`;
  return { inUse: IN_USE + identity, closed: `${CLOSED}${identity}${size} ${ctimeNs}\n` };
}

export function markInUse(database: string): void {
  write(database, () => marksFor(database).inUse);
}

/**
 * Only if there is a mark: a folder without one is left as it is. `isWhole`: every commit is in
 * the file and on disk, and closing it writes nothing more.
 */
export function markClosed(database: string, isWhole = false): void {
  if (!isInUse(database)) return;
  write(database, () => (isWhole ? marksFor(database).closed : CLOSED));
  try {
    // The disk has failed. The log is about to go, and a start would ask for it.
    if (isInUse(database)) rmSync(database + STATE_SUFFIX);
  } catch {}
}

/** Whether the file was closed whole and has not changed since. To be called before it is opened. */
export function isAsClosed(database: string): boolean {
  return (logBytesOf(database) ?? 0) === 0 && markOf(database) === marksFor(database).closed;
}

/**
 * Why the file can't be opened, as a sentence. `logBytes`: from before it was opened, because opening
 * creates a log. With Litestream an empty log may stay and counts as none; a restored file needs none.
 */
export function missingLog(
  database: string,
  logBytes: number | undefined,
  isReplicated: boolean,
): string | undefined {
  if (!isInUse(database)) return undefined;
  const [log, mark] = [`${database}-wal`, database + STATE_SUFFIX];
  const isAnother = markOf(database) !== marksFor(database).inUse;
  if (isReplicated) {
    if (isAnother || (logBytes ?? 0) > 0) return undefined;
    return `it was not closed, and its log ${log} is gone or empty; put the log back, or restore the replica in place of the file: it has the writes that were only in the log. If another program, such as sqlite3, opened the file since, it wrote the log into the file: delete ${mark} to start with it`;
  }
  // The log beside another file is not that file's own.
  const saved = isAnother ? newestSaved(database) : undefined;
  if (saved !== undefined) {
    return `another file is in its place, and the service saved everything to ${saved} before it stopped; restore that one, or delete ${mark} and ${log} to start with the other file`;
  }
  if (logBytes !== undefined) return undefined;
  return `it was not closed, and its log ${log} is gone, with the only copy of the newest writes; put the log back, restore a backup, or delete ${mark} to start without them`;
}

/** The copy that the service saved since it opened the file, because the file was replaced. */
function newestSaved(database: string): string | undefined {
  const start = keptNameStart(database, 'saved');
  const isSaved = (name: string) => name.startsWith(start) && !name.endsWith('.part');
  const name = readdirSync(dirname(database)).filter(isSaved).sort().at(-1);
  const saved = name && join(dirname(database), name);
  const { mtimeMs } = statSync(database + STATE_SUFFIX);
  return saved && statSync(saved).mtimeMs >= mtimeMs ? saved : undefined;
}

/** If a mark can't be written, as on a full disk, there is none, and the next start needs no log. */
function write(database: string, text: () => string): void {
  try {
    // Over the old text, and truncated last: a power loss must not leave an empty mark.
    const { O_RDWR, O_CREAT } = constants;
    const mark = openSync(database + STATE_SUFFIX, O_RDWR | O_CREAT, OWNER_ONLY_FILE);
    try {
      ftruncateSync(mark, writeSync(mark, text(), 0));
      fsyncSync(mark);
    } finally {
      closeSync(mark);
    }
    // After this the names of the mark and of the log are on disk, too.
    syncFolderNow(dirname(database));
  } catch {}
}
