// Keeps an open database file unchanged while it is copied. Meanwhile commits go on: they stay in the log beside it.

import { statSync } from 'node:fs';
import type { Connection } from './connection.js';
import { COUNT_RECORDS } from './file-schema.js';

/** SQLite's default: a commit writes the log back into the file when the log has this many pages. */
const CHECKPOINT_PAGES = 1_000;

export class Freezer {
  readonly #connection: Connection;
  readonly #path: string;
  #frozenAs: string | undefined;

  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** Writes every commit so far into the file. Returns the file's number of records. */
  freeze(): number {
    this.#connection.value('pragma wal_autocheckpoint = 0');
    try {
      const [row] = this.#connection.rows('pragma wal_checkpoint(truncate)');
      if (row?.['busy'] !== 0) throw new Error('the log cannot be written back');
      this.#frozenAs = this.#lastWrite();
      return Number(this.#connection.value(COUNT_RECORDS));
    } catch (error) {
      this.thaw();
      throw error;
    }
  }

  /** True if the file did not change since `freeze`. A connection that is given up writes the log into the file. */
  thaw(): boolean {
    const stayed = this.#lastWrite() === this.#frozenAs;
    this.#connection.value(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return stayed;
  }

  /** Asks the file system for size and time; opening and closing the file would drop the lock. */
  #lastWrite(): string {
    const { mtimeNs, size } = statSync(this.#path, { bigint: true });
    return `${mtimeNs} ${size}`;
  }
}
