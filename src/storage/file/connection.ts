// One connection to a libSQL database file. Its calls are synchronous, so only the storage thread
// and separate programs use it. test/storage/file/connection.test.ts pins the library's behaviour
// that this file relies on.

import { createRequire } from 'node:module';
import type Database from 'libsql';
import { messageOf } from './connection-errors.js';

type Open = InstanceType<typeof Database>;
export type SqlValue = string | number | null | ArrayBuffer;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Statement {
  readonly sql: string;
  readonly args?: readonly (string | number)[];
  /** In a batch: if this statement fails, the others stand. */
  readonly isOptional?: boolean;
}

let library: typeof Database | undefined;

/**
 * The package, loaded when the first file is opened, because it may not load: if it was installed on
 * another system, or on Windows without its runtime. Throws a sentence for the operator.
 */
export function libsql(): typeof Database {
  try {
    library ??= createRequire(import.meta.url)('libsql') as typeof Database;
    return library;
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    const runtime =
      process.platform === 'win32' ? ", with Microsoft's Visual C++ Redistributable" : '';
    throw new Error(
      `the database library, libsql, cannot be loaded here (${reason}); run npm ci on this machine${runtime}`,
      { cause: error },
    );
  }
}

/** Errors begin with SQLite's code, such as `SQLITE_BUSY: database is locked`. */
export class Connection {
  readonly #database: Open;
  /** Preparing a statement takes longer than running it for a few rows. */
  readonly #prepared = new Map<string, ReturnType<Open['prepare']>>();

  /** Opens or creates the file; `:memory:` is a database of its own. `busyTimeoutMs`: how long a statement waits for a lock. */
  constructor(path: string, busyTimeoutMs = 0) {
    this.#database = new (libsql())(path, { timeout: busyTimeoutMs });
    // Functions with side effects do not run from a schema.
    this.#database.exec('pragma trusted_schema = off');
  }

  rows(sql: string, args: Statement['args'] = []): SqlRow[] {
    return named(() => {
      const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
      // After an error the statement may still be running, so it is not reused.
      this.#prepared.delete(sql);
      const rows = statement.reader ? statement.all(args) : [];
      if (!statement.reader) statement.run(args);
      // A pragma may act while it is prepared.
      if (!sql.startsWith('pragma')) this.#prepared.set(sql, statement);
      return rows as SqlRow[];
    });
  }

  /** The first value of the first row. */
  value(sql: string, args: Statement['args'] = []): SqlValue | undefined {
    return Object.values(this.rows(sql, args)[0] ?? {})[0];
  }

  /**
   * Runs the statements in one transaction, which takes the write lock when it begins. Returns why an
   * optional one failed. If it throws, see `isRolledBack`.
   */
  batch(statements: readonly Statement[]): Error | undefined {
    let failure: Error | undefined;
    this.rows('begin immediate');
    try {
      for (const { sql, args, isOptional } of statements) {
        try {
          this.rows(sql, args);
        } catch (error) {
          // After some errors, such as a failing disk's, SQLite has rolled back everything.
          if (!isOptional || !this.#database.inTransaction) throw error;
          failure = error as Error;
        }
      }
      this.rows('commit');
      return failure;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Runs `act` while holding the write lock, and stores nothing. */
  holding<T>(act: () => T): T {
    this.rows('begin immediate');
    try {
      return act();
    } finally {
      this.#rollBack();
    }
  }

  /** Locks the file for this connection alone until it closes, and writes nothing. */
  lock(): void {
    // In exclusive mode the lock stays after the transaction.
    this.rows('pragma locking_mode = exclusive');
    this.rows('begin exclusive');
    this.rows('commit');
  }

  /** The file is released when the last statement is garbage-collected, at the latest when the process or thread ends. */
  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  /** If it throws, nobody knows what the file has: the error is none of `isRolledBack`. */
  #rollBack(): void {
    if (this.#database.inTransaction) this.#database.prepare('rollback').run();
  }
}

/**
 * Whether a batch that threw this has stored nothing for certain: a statement was refused, or the disk
 * had no room for the commit. Any other error of a commit, such as that of a failing disk, leaves the
 * outcome open: only a new opening of the file knows.
 */
export function isRolledBack(error: unknown): boolean {
  return /^SQLITE_(CONSTRAINT|FULL|MISMATCH|TOOBIG|ERROR|BUSY)/.test(messageOf(error));
}

function named<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof libsql().SqliteError)) throw error;
    throw new Error(`${error.code}: ${error.message}`, { cause: error });
  }
}

/**
 * Sets what every promise about the file rests on. Reads each setting back, because SQLite does not
 * report one that it rejects.
 */
export function configure(
  connection: Connection,
  { lockingMode, checkpointPages }: { lockingMode: string; checkpointPages: number },
): void {
  const settings = {
    locking_mode: lockingMode,
    journal_mode: 'wal',
    // Full: one sync for each commit, before it is acknowledged.
    synchronous: 2,
    // SQLite overwrites removed and replaced content with zeros.
    secure_delete: 1,
    wal_autocheckpoint: checkpointPages,
  };
  for (const [name, value] of Object.entries(settings)) {
    connection.value(`pragma ${name} = ${value}`);
    const given = connection.value(`pragma ${name}`);
    if (given !== value) throw new Error(`pragma ${name} is ${given}, must be ${value}`);
  }
}
