// Keeps an open database file unchanged while it is copied. Meanwhile commits go on: they stay in the log beside it.

import { statSync } from 'node:fs';
import type { Client } from '@libsql/client';
import { COUNT_RECORDS } from './file-schema.js';

/** SQLite's default: a commit writes the log back into the file when the log has this many pages. */
const CHECKPOINT_PAGES = 1_000;

export class Freezer {
  readonly #client: Client;
  readonly #path: string;
  #frozenAs: string | undefined;

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#path = path;
  }

  /** Writes every commit so far into the file. Resolves with the file's number of records. */
  async freeze(): Promise<number> {
    await this.#client.execute('pragma wal_autocheckpoint = 0');
    try {
      const { rows } = await this.#client.execute('pragma wal_checkpoint(truncate)');
      if (rows[0]?.['busy'] !== 0) throw new Error('the log cannot be written back');
      this.#frozenAs = this.#lastWrite();
      const counted = await this.#client.execute(COUNT_RECORDS);
      return Number(counted.rows[0]?.['total']);
    } catch (error) {
      await this.thaw();
      throw error;
    }
  }

  /** Resolves with true if the file did not change since `freeze`. A lost connection writes the log into the file. */
  async thaw(): Promise<boolean> {
    const stayed = this.#lastWrite() === this.#frozenAs;
    await this.#client.execute(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return stayed;
  }

  /** Asks the file system for size and time; opening and closing the file would drop the lock. */
  #lastWrite(): string {
    const { mtimeNs, size } = statSync(this.#path, { bigint: true });
    return `${mtimeNs} ${size}`;
  }
}
