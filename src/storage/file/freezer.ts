// Keeps an open database file as it is, so that it can be copied while commits
// go on: they stay in the log beside it.

import { statSync } from 'node:fs';
import type { Client } from '@libsql/client';
import { COUNT_RECORDS } from './file-schema.js';

/** SQLite's default: a commit that finds the log this long writes it back into the file. */
const CHECKPOINT_PAGES = 1_000;

export class Freezer {
  readonly #client: Client;
  readonly #path: string;
  #frozenAs: string | undefined;

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#path = path;
  }

  /** Brings every commit so far into the file. Resolves with the number of records that it holds then. */
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

  /** Resolves with whether the file is still as `freeze` left it: a connection that was lost writes to it. */
  async thaw(): Promise<boolean> {
    const stayed = this.#lastWrite() === this.#frozenAs;
    await this.#client.execute(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return stayed;
  }

  /** Asks the file system, not the file: closing a descriptor of it would drop the lock. */
  #lastWrite(): string {
    const { mtimeNs, size } = statSync(this.#path, { bigint: true });
    return `${mtimeNs} ${size}`;
  }
}
