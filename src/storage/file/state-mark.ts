// The mark beside a database file, such as `service.db-state`. It stays when the file is closed, so
// a folder that has it had a database. Its word tells whether the log must be there, too: SQLite
// opens a file whose log was deleted without an error, as the file was at some earlier time. And
// it tells which file that was: `litestream restore` puts another one in place, which needs no log.

import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../backup/file-copy.js';
import { syncFolderNow } from '../disk-sync.js';
import type { Locking } from './connection-settings.js';
import { STATE_SUFFIX } from './names-beside.js';

const OWNER_ONLY_FILE = 0o600;

/**
 * - `in use`: a process has the file, or ended without closing it. The last commits are in the log alone.
 * - `closed`: every commit is in the file, or Litestream has the log and writes it back.
 */
export type Closure = 'in use' | 'closed';

/** Of one length, so that a full disk has room for the other word. */
const WORDS: Readonly<Record<Closure, string>> = { 'in use': 'in use\n', closed: 'closed\n' };

interface Mark {
  readonly state: Closure;
  /** See `identityOf`. Empty in a mark of an earlier release. */
  readonly identity: string;
}

/** Undefined if there is no mark, as beside a file of an earlier release. */
function markOf(database: string): Mark | undefined {
  try {
    const text = readFileSync(database + STATE_SUFFIX, 'utf8');
    const { length } = WORDS['in use'];
    const state = text.slice(0, length) === WORDS['in use'] ? 'in use' : 'closed';
    return { state, identity: text.slice(length) };
  } catch {
    return undefined;
  }
}

/**
 * A file system may give a new file the inode of one that was removed, so the time of its birth
 * counts, too. Not the device: its number may be another one after the machine starts again.
 */
function identityOf(database: string): string {
  const { ino, birthtimeNs } = statSync(database, { bigint: true });
  return `${ino} ${birthtimeNs}\n`;
}

/**
 * On disk when it returns. Where the mark cannot be written, as on a full disk, nothing is
 * marked: that is no reason to refuse a start.
 */
export function markState(database: string, state: Closure): void {
  try {
    const mark = openMark(database + STATE_SUFFIX);
    try {
      // `closed` leaves the identity as it is.
      const identity = state === 'in use' ? identityOf(database) : '';
      const bytes = writeSync(mark, WORDS[state] + identity, 0);
      if (state === 'in use') ftruncateSync(mark, bytes);
      fsyncSync(mark);
    } finally {
      closeSync(mark);
    }
    // After this the names of the mark and of the log are on disk, too.
    syncFolderNow(dirname(database));
  } catch {
    // The next start then looks for no log.
  }
}

/** Only where there is a mark: a folder without one stays as it is. */
export function markClosed(database: string): void {
  if (markOf(database)?.state !== 'in use') return;
  markState(database, 'closed');
  if (markOf(database)?.state !== 'in use') return;
  // The disk has failed once. The log is about to go, and a start would ask for it.
  try {
    rmSync(database + STATE_SUFFIX);
  } catch {
    // It goes on failing. The sentence of the next start says which file to delete.
  }
}

/**
 * What is missing, as a sentence; undefined where nothing is. `logBytes`: of the log beside the
 * file before anybody opened it, because opening makes one. Beside Litestream that one may stay,
 * empty, so there an empty log counts as none; and a restored file needs none.
 */
export function missingLog(
  database: string,
  logBytes: number | undefined,
  holding: Locking,
): string | undefined {
  const mark = markOf(database);
  if (mark?.state !== 'in use') return undefined;
  const log = `${database}-wal`;
  const markPath = database + STATE_SUFFIX;
  if (holding === 'alone') {
    if (logBytes !== undefined) return undefined;
    return `it was not closed, and its log ${log} is gone, with the writes that were in it alone; put the log back, restore a backup, or delete ${markPath} to go on without them`;
  }
  const isAnother = mark.identity !== '' && mark.identity !== identityOf(database);
  if (isAnother || (logBytes ?? 0) > 0) return undefined;
  return `it was not closed, and its log ${log} is gone or empty; put the log back, or restore the replica in place of the file: it has the writes that were in the log alone. If another program, such as sqlite3, opened the file since, it wrote the log into the file: delete ${markPath} to go on with it`;
}

/** Undefined if there is no log. */
export function logBytesOf(database: string): number | undefined {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size;
}

function openMark(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return openSync(path, 'wx', OWNER_ONLY_FILE);
  }
}
