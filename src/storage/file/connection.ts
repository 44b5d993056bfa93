// One connection to a libSQL database file. Its calls are synchronous, so only the
// storage thread and separate programs use it. The test storage/file/connection-habits
// pins the library's behaviour that this file relies on.

import type Database from 'libsql';
import { libsql } from './library.js';

export type SqlValue = string | number | null | ArrayBuffer;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Statement {
  readonly sql: string;
  readonly args?: readonly (string | number)[];
}

/** A statement of a batch failed; nothing of the batch is stored. `index`: its place in the batch, from 0. */
export class StatementError extends Error {
  readonly index: number;

  constructor(index: number, error: Error) {
    super(error.message, { cause: error });
    this.index = index;
  }
}

type Prepared = ReturnType<InstanceType<typeof Database>['prepare']>;

/** SQLite's names of the errors that connection-errors.ts explains, by their base code. */
const ERROR_NAMES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
};

/** Errors begin with SQLite's name of them, such as `SQLITE_BUSY: database is locked`. */
export class Connection {
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  #database: InstanceType<typeof Database> | undefined;
  /** The statements of batches. Preparing one takes longer than running it for a few rows. */
  readonly #prepared = new Map<string, Prepared>();
  #isClosed = false;
  /** An earlier database connection was given up, and may still write the log back when it is garbage-collected. */
  isReplaced = false;

  /** Opens the file or makes it; `:memory:` is a database of its own. `busyTimeoutMs`: how long a statement waits for a lock. */
  constructor(path: string, { busyTimeoutMs = 0 } = {}) {
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#database = this.#opened();
  }

  rows(sql: string, args: Statement['args'] = []): SqlRow[] {
    return named(() => {
      const statement = this.#opened().prepare(sql);
      if (!statement.reader) {
        statement.run(args);
        return [];
      }
      const columns = statement.columns().map(({ name }) => name);
      return valuesOf(statement, args).map((values) =>
        Object.fromEntries(columns.map((name, i) => [name, values[i] ?? null])),
      );
    });
  }

  /** The first value of the first row. */
  value(sql: string, args: Statement['args'] = []): SqlValue | undefined {
    return named(() => {
      const statement = this.#opened().prepare(sql);
      if (statement.reader) return valuesOf(statement, args)[0]?.[0];
      statement.run(args);
      return undefined;
    });
  }

  /**
   * Runs the statements in one transaction, which takes the lock for writing at its begin. Each is
   * asked for when those before it have run; what asking for it throws is thrown here.
   * Throws a `StatementError` if a statement fails, another error if BEGIN or COMMIT fails.
   */
  batch(statements: Iterable<Statement>): void {
    this.#write('begin immediate');
    try {
      let index = 0;
      for (const { sql, args = [] } of statements) {
        try {
          this.#write(sql, args);
        } catch (error) {
          throw new StatementError(index, error as Error);
        }
        index++;
      }
      this.#write('commit');
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Takes the lock for writing and stores nothing. Run the returned function to release the lock. */
  hold(): () => void {
    this.#write('begin immediate');
    return () => this.#rollBack();
  }

  /** Runs several statements that have no parameters and no results. */
  script(sql: string): void {
    named(() => this.#opened().exec(sql));
  }

  /** Makes a new connection. It has neither the locks nor the settings of the old one. */
  reconnect(): void {
    this.#drop();
  }

  /** The file is released when the last statement is garbage-collected, at the latest when the process or thread ends. */
  close(): void {
    this.#drop();
    this.#isClosed = true;
  }

  /** Opens another connection if the last one was given up. */
  #opened(): InstanceType<typeof Database> {
    if (this.#isClosed) throw new Error('the connection is closed');
    if (this.#database === undefined) {
      this.#database = new (libsql())(this.#path, { timeout: this.#busyTimeoutMs });
      // Functions with side effects do not run from a schema.
      this.#database.exec('pragma trusted_schema = off');
    }
    return this.#database;
  }

  #write(sql: string, args: Statement['args'] = []): void {
    named(() => {
      const statement = this.#prepared.get(sql) ?? this.#opened().prepare(sql);
      try {
        if (statement.reader) valuesOf(statement, args);
        else statement.run(args);
        // A pragma may act while it is prepared.
        if (!sql.startsWith('pragma')) this.#prepared.set(sql, statement);
      } catch (error) {
        // After an error the statement may still be under way, so it is not used again.
        this.#prepared.delete(sql);
        throw error;
      }
    });
  }

  /** Gives up a connection that cannot be rolled back: the next statement must not run within the old transaction. */
  #rollBack(): void {
    const database = this.#database;
    try {
      if (database?.inTransaction) database.prepare('rollback').run();
    } catch {
      this.#drop();
    }
  }

  #drop(): void {
    const database = this.#database;
    this.#database = undefined;
    this.isReplaced = true;
    this.#prepared.clear();
    try {
      database?.close();
    } catch {
      // The connection is given up either way.
    }
  }
}

function valuesOf(statement: Prepared, args: NonNullable<Statement['args']>): SqlValue[][] {
  const rows = statement.raw().all(args) as (SqlValue | Uint8Array<ArrayBuffer>)[][];
  return rows.map((row) => row.map(exactValue));
}

function exactValue(value: SqlValue | Uint8Array<ArrayBuffer>): SqlValue {
  if (value instanceof Uint8Array) return value.buffer;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`the database holds ${value}, a number too large to be exact`);
  }
  return value;
}

function named<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof libsql().SqliteError)) throw error;
    const name = ERROR_NAMES[(error.rawCode ?? 0) & 0xff] ?? error.code;
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
}
