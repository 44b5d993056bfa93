// The mark beside a database file, such as `service.db-state`. It stays when the file is closed, so
// a folder that has it had a database. Its word tells whether the log must be there, too: SQLite
// opens a file whose log was deleted without an error, as the file was at some earlier time.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../backup/file-copy.js';
import { STATE_SUFFIX } from './names-beside.js';

const OWNER_ONLY_FILE = 0o600;

/**
 * - `in use`: a process has the file, or ended without closing it. The last commits are in the log alone.
 * - `closed`: every commit is in the file, or Litestream looks after the log.
 */
export type Closure = 'in use' | 'closed';

/** Of one length, so that a full disk has room for the other word. */
const WORDS: Readonly<Record<Closure, string>> = { 'in use': 'in use\n', closed: 'closed\n' };

/** Undefined if there is no mark, as beside a file of an earlier release. */
export function stateOf(database: string): Closure | undefined {
  try {
    const text = readFileSync(database + STATE_SUFFIX, 'utf8');
    return text === WORDS['in use'] ? 'in use' : 'closed';
  } catch {
    return undefined;
  }
}

/**
 * On disk when it returns. Where the mark cannot be written, as on a full disk, nothing is
 * marked: that is no reason to refuse a start.
 */
export function markState(database: string, state: Closure): void {
  try {
    const mark = openMark(database + STATE_SUFFIX);
    try {
      writeSync(mark, WORDS[state], 0);
      fsyncSync(mark);
    } finally {
      closeSync(mark);
    }
    // After this the names of the mark and of the log are on disk, too.
    syncNames(dirname(database));
  } catch {
    // The next start then looks for no log.
  }
}

/** Only where there is a mark: a folder without one stays as it is. */
export function markClosed(database: string): void {
  if (stateOf(database) === 'in use') markState(database, 'closed');
}

/**
 * What is missing, as a sentence; undefined where nothing is. `logWasThere`: whether the log
 * was beside the file before anybody opened it, because opening makes one.
 */
export function missingLog(database: string, logWasThere: boolean): string | undefined {
  if (logWasThere || stateOf(database) !== 'in use') return undefined;
  return `it was not closed, and its log ${database}-wal is gone, with the writes that were in it alone; put the log back, restore a backup, or delete ${database}${STATE_SUFFIX} to go on without them`;
}

export function isLogThere(database: string): boolean {
  return existsSync(`${database}-wal`);
}

function openMark(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return openSync(path, 'wx', OWNER_ONLY_FILE);
  }
}

function syncNames(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
