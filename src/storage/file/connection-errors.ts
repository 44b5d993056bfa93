// Errors of the library and the system as sentences for the operator. After an upgrade of libsql see
// test/storage/file/connection.test.ts, which runs the library and pins its texts.

import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';

const BUSY = /SQLITE_BUSY|database is locked/i;
export const NO_DATABASE = /SQLITE_NOTADB|not a database/i;
export const DAMAGED = /SQLITE_CORRUPT|malformed|no such (table|column|index)/i;
const WRITABLE = 'check that the path is a file in a writable folder';

/** `$&`: the finding itself. The findings of own-database.ts have no remedy, because it depends on who asks. */
const SENTENCES: readonly (readonly [finding: RegExp, sentence: string])[] = [
  [
    BUSY,
    `another process holds it (waited ${DATABASE_BUSY_TIMEOUT_MS / 1000} s), or this one has it open; stop the other process, or share the storage`,
  ],
  [NO_DATABASE, 'it is not a SQLite database; name another file or restore a backup'],
  [/^it belongs to another program$/, '$&; name another file'],
  [
    /^its schema has version [12],.*$/,
    '$&; it is of a build before 0.1.0: dump it with that build',
  ],
  [/^its schema has version.*$/, '$&; run the release that wrote it'],
  [
    /^its log is missing.*$/,
    '$&; restore a backup, or set DATABASE_CREATE=yes to take it as it is',
  ],
  [/^it is damaged \(.*$/, '$&; restore a backup'],
  [/^its schema is not the one.*$/, '$&; restore a backup that the service made'],
  [DAMAGED, 'it is damaged; restore a backup'],
  [/SQLITE_CANTOPEN|unable to open/i, `it cannot be opened; ${WRITABLE}`],
  [/SQLITE_IOERR|\bEIO\b/i, 'its disk is failing (I/O error); check the system log'],
  [/SQLITE_FULL|\bENOSPC\b/i, 'its disk is full; make room and start again'],
  [/^EROFS/, 'its disk is mounted read-only; mount it for writing'],
  [
    /SQLITE_READONLY|readonly database|^EACCES|^EPERM/i,
    'this user has no permission to read and write it, or to create it in its folder; check owner and permissions',
  ],
  [/^ENOTDIR|^EEXIST/, `its folder cannot be created; ${WRITABLE}`],
];

/** One sentence for the operator. An unknown error keeps its own message. */
export function explained(error: unknown): string {
  const message = messageOf(error);
  const [, sentence = '$&'] = SENTENCES.find(([found]) => found.test(message)) ?? [];
  return sentence.replace('$&', () => message);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Another process held the write lock for longer than the busy time-out. */
export const isBusy = (reason: string) => BUSY.test(reason);
