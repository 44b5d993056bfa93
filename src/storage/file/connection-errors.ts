// Errors of the library and the system as sentences for the operator. After an upgrade of libsql see
// test/storage/file/connection.test.ts, which runs the library and pins its texts.

import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';

/** The remedy for a file that is not a valid database of this program. */
export const USE_ANOTHER_FILE = 'name another file, or restore a good backup';

const BUSY = /SQLITE_(BUSY|PROTOCOL)|database is locked/i;
const SENTENCES: readonly (readonly [finding: RegExp, sentence: string])[] = [
  [
    BUSY,
    `another process holds it (waited ${DATABASE_BUSY_TIMEOUT_MS / 1000} s), this one has it open, or its disk is a share without locks; stop the other process, or use a local disk`,
  ],
  [/SQLITE_NOTADB|not a database/i, `it is not a SQLite database; ${USE_ANOTHER_FILE}`],
  [/SQLITE_CORRUPT|malformed/i, `it is damaged; ${USE_ANOTHER_FILE}`],
  [/SQLITE_IOERR|\bEIO\b/i, 'its disk is failing (I/O error); check the system log'],
  [/SQLITE_FULL|\bENOSPC\b/i, 'its disk is full; free some space'],
  [/^ENOENT/, 'no such file or folder; check the path, or mount its disk'],
  [
    /SQLITE_(CANTOPEN|READONLY)|unable to open|readonly database|^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|EISDIR)/i,
    'it cannot be opened for writing; check that the path is a file in a folder, the owner and permissions of both, and that the disk is mounted for writing',
  ],
];

/** One sentence for the operator. An unknown error keeps its own message. */
export function explained(error: unknown): string {
  const message = messageOf(error);
  return SENTENCES.find(([found]) => found.test(message))?.[1] ?? message;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Another process held the write lock for longer than the busy time-out. */
export const isBusy = (reason: string) => BUSY.test(reason);
