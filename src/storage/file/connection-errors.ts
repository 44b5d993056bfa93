// What the installed library says when a statement fails, in the operator's words.
// test/storage/file/connection.test.ts runs the library and pins its texts; look there after an
// upgrade of libsql.

import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { DAMAGED, FOREIGN_SCHEMA, NOT_OURS, TOO_NEW } from './own-database.js';

/** One sentence for the operator. An unknown error keeps its own message. */
export function explained(error: unknown): string {
  const message = messageOf(error);
  if (isBusy(message)) {
    return `another process holds it (waited ${DATABASE_BUSY_TIMEOUT_MS / 1000} s); one process owns the file, stop the other one first`;
  }
  if (/SQLITE_NOTADB|not a database/i.test(message)) {
    return 'it is not a SQLite database; name another file or restore a backup';
  }
  if (message === NOT_OURS) return `${message}; name another file`;
  if (message.startsWith(TOO_NEW)) return `${message}; run a newer release`;
  if (message.startsWith(DAMAGED)) return `${message}; restore a backup`;
  if (/SQLITE_CORRUPT|malformed|no such (table|column|index)/i.test(message))
    return 'it is damaged; restore a backup';
  if (message.startsWith(FOREIGN_SCHEMA)) {
    return `${message}; restore a backup that the service made`;
  }
  if (/SQLITE_CANTOPEN|unable to open/i.test(message)) {
    return 'it cannot be opened; check that the path is a file in a writable folder';
  }
  if (/SQLITE_IOERR|\bEIO\b/i.test(message)) {
    return 'its disk or file system fails (an I/O error); look at the log of the system';
  }
  if (/SQLITE_FULL|\bENOSPC\b/i.test(message)) return 'its disk is full; make room and start again';
  if (/SQLITE_READONLY|readonly database/i.test(message)) {
    return 'it cannot be written; check the permissions of the file and its folder';
  }
  return message;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Another process held the write lock for longer than the busy time-out. */
export function isBusy(reason: string): boolean {
  return /SQLITE_BUSY|database is locked/i.test(reason);
}

/** The disk had no room for the whole commit, so none of it is in the log as a commit. */
export function isDiskFull(reason: string): boolean {
  return reason.startsWith('SQLITE_FULL');
}
