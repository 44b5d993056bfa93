// One connection to a libSQL database file. Its calls are synchronous, so only the storage thread and
// separate programs use it. test/storage/file/connection.test.ts pins the library's behaviour.

import { createRequire } from 'node:module';
import type Database from 'libsql';
import { messageOf } from './connection-errors.js';
import type { EXCLUSIVE } from './file-sharing.js';

type Open = InstanceType<typeof Database>;
export type SqlValue = string | number | null | ArrayBuffer;
export type SqlRow = Readonly<Record<string, SqlValue>>;

type Args = readonly (string | number | null)[];
export type Statement = readonly [sql: string, ...args: Args];

/** The package, loaded only when a file is opened, because it may have been installed on another system. */
export function libsql(): typeof Database {
  try {
    return createRequire(import.meta.url)('libsql') as typeof Database;
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    throw new Error(
      `the database library, libsql, cannot be loaded here (${reason}); run npm ci on this machine`,
      { cause: error },
    );
  }
}

/** Errors of statements start with SQLite's code, such as `SQLITE_BUSY: database is locked`. */
export class Connection {
  readonly #database: Open;
  /** Preparing a statement takes longer than running it for a few rows. */
  readonly #prepared = new Map<string, ReturnType<Open['prepare']>>();

  /** Opens or creates the file; `:memory:` is a new database. `busyTimeoutMs`: how long a statement waits for a lock. */
  constructor(path: string, busyTimeoutMs = 0) {
    this.#database = new (libsql())(path, { timeout: busyTimeoutMs });
    // Functions with side effects do not run from a schema.
    this.#database.exec('pragma trusted_schema = off');
  }

  rows(sql: string, args: Args = []): SqlRow[] {
    try {
      const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
      // Not reused after an error, because it may still be running.
      this.#prepared.delete(sql);
      const rows = statement.reader ? statement.all(args) : [];
      if (!statement.reader) statement.run(args);
      // A pragma may act while it is prepared.
      if (!sql.startsWith('pragma')) this.#prepared.set(sql, statement);
      return rows as SqlRow[];
    } catch (error) {
      if (!(error instanceof libsql().SqliteError)) throw error;
      throw new Error(`${error.code}: ${error.message}`, { cause: error });
    }
  }

  /** The first value of the first row. */
  value(sql: string, args: Args = []): SqlValue | undefined {
    return Object.values(this.rows(sql, args)[0] ?? {})[0];
  }

  /** Runs the statements in one transaction, which takes the write lock first and is on disk on return. If it throws, see `isRolledBack`. */
  batch(statements: readonly Statement[]): void {
    this.rows('begin immediate');
    try {
      for (const [sql, ...args] of statements) this.rows(sql, args);
      this.rows('commit');
    } catch (error) {
      // If this throws, the outcome is unknown: its error has no code, so `isRolledBack` doesn't match it.
      if (this.#database.inTransaction) this.#database.prepare('rollback').run();
      throw error;
    }
  }

  /** Locks the file for this connection alone until it closes, and writes nothing. */
  lock(): void {
    // In exclusive mode the lock stays after the transaction.
    this.rows('pragma locking_mode = exclusive');
    for (const sql of ['begin exclusive', 'commit']) this.rows(sql);
  }

  /** The file is released when the last statement is garbage-collected, at the latest when the process or thread ends. */
  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }
}

/**
 * Whether a commit with this error has certainly stored nothing: a statement was refused, the disk was full,
 * or a system call before the commit failed. After any other error, such as that of a failing disk, only
 * opening the file again tells the outcome.
 */
export const isRolledBack = (reason: string) =>
  /^(SQLITE_(CONSTRAINT|FULL|MISMATCH|TOOBIG|ERROR|BUSY)|E[A-Z]+:)/.test(reason);

/**
 * Sets the pragmas on which durability depends. Reads each one back, because SQLite does not report one
 * that it rejects.
 */
export function configure(connection: Connection, sharing: typeof EXCLUSIVE): void {
  const settings = {
    locking_mode: sharing.lockingMode,
    journal_mode: 'wal',
    // Full: one sync for each commit, before it is acknowledged.
    synchronous: 2,
    // SQLite overwrites removed and replaced content with zeros.
    secure_delete: 1,
    wal_autocheckpoint: sharing.checkpointPages,
  };
  for (const [name, value] of Object.entries(settings)) {
    connection.value(`pragma ${name} = ${value}`);
    const given = connection.value(`pragma ${name}`);
    if (given !== value) throw new Error(`pragma ${name} is ${given}, must be ${value}`);
  }
}
