// Commits to the file, and what is stored after one that failed.

import type { CommitResult } from '../../core/records/record-storage.js';
import { PUT_SEQUENCES } from '../records-table.js';
import { type Connection, type Statement, StatementError } from './connection.js';
import { isBusy, isDiskFull, messageOf } from './connection-errors.js';
import { type Locking, putInForce } from './connection-settings.js';
import { APPEND_EVENTS, COUNT_PRESENT, PUT_ROWS, REMOVE_ROWS, TOUCH } from './file-schema.js';
import type { UsageScan } from './usage-scan.js';
import { reuseLog, rewriteLog } from './write-ahead-log.js';

/** The changes of a commit as JSON texts. The thread passes them to the database without parsing them. */
export interface CommitTexts {
  /** Array of `[position, collection, id, body, owner, status]`. */
  readonly puts: string;
  /** Array of positions. */
  readonly removals: string;
  /** Object: the highest number by collection. */
  readonly sequences: string;
  /** Array of objects; an empty text if there are none. */
  readonly events: string;
  readonly changeCount: number;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

const NO_CHANGES: CommitTexts = {
  sequences: '{}',
  puts: '[]',
  removals: '[]',
  events: '',
  changeCount: 0,
  at: 0,
};

function statements({ puts, removals, sequences, at }: CommitTexts): Statement[] {
  return [
    { sql: PUT_ROWS, args: [puts, at] },
    { sql: REMOVE_ROWS, args: [removals] },
    { sql: PUT_SEQUENCES, args: [sequences] },
  ].filter(({ args }) => args[0] !== '[]' && args[0] !== '{}');
}

export class FileCommits {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #holding: Locking;
  readonly #usage: UsageScan;
  /** The last commit found the disk full, and the log could not be written back. */
  #wasFull = false;

  constructor(connection: Connection, path: string, holding: Locking, usage: UsageScan) {
    this.#connection = connection;
    this.#path = path;
    this.#holding = holding;
    this.#usage = usage;
  }

  async commit(texts: CommitTexts, isSecond = false): Promise<CommitResult> {
    this.#usage.before(texts.puts, texts.removals);
    const rows = statements(texts);
    const events: Statement[] =
      texts.events === '' ? [] : [{ sql: APPEND_EVENTS, args: [texts.events] }];
    try {
      this.#connection.batch([...rows, ...events]);
      if (this.#wasFull) this.#reuseLog();
      return { status: 'committed' };
    } catch (error) {
      const reason = messageOf(error);
      if (isDiskFull(reason) && !isSecond && this.#reuseLog()) return this.commit(texts, true);
      // "If the audit write fails …, the change stands." Only the events' statement failed.
      if (error instanceof StatementError && error.index === rows.length) {
        const result = await this.commit({ ...texts, events: '' });
        return result.status === 'committed'
          ? { ...result, auditError: new Error(messageOf(error)) }
          : result;
      }
      return { status: await this.#stateAfterFailure(texts, reason), error: new Error(reason) };
    }
  }

  /** A commit that changes nothing. Rejects if it is not on disk. */
  async touch(): Promise<void> {
    try {
      this.#connection.batch([{ sql: TOUCH }]);
    } catch (error) {
      // A failure here needs the same steps as a failed commit.
      await this.#stateAfterFailure(NO_CHANGES, messageOf(error));
      throw error;
    }
  }

  /** One sync for each commit, before it is acknowledged. */
  configure(): void {
    putInForce(this.#connection, this.#holding);
    // A batch reports a failure that a single statement may hide. It also takes the lock.
    this.#connection.batch([{ sql: 'select 1' }]);
  }

  /** No one else may write to the log meanwhile. */
  async rewriteLog(): Promise<void> {
    if (this.#holding === 'alone') return rewriteLog(this.#path);
    const release = this.#connection.hold();
    try {
      await rewriteLog(this.#path);
    } finally {
      release();
    }
  }

  /** Called on a full disk. Returns whether a commit may find room now. */
  #reuseLog(): boolean {
    if (this.#holding === 'shared') return false;
    try {
      this.configure();
      reuseLog(this.#connection);
      this.#wasFull = false;
    } catch {
      this.#wasFull = true;
    }
    return !this.#wasFull;
  }

  /**
   * Whether the file has the rows of a failed commit. The connection may be a new one, so
   * its lock and settings are set first.
   */
  async #stateAfterFailure(
    texts: CommitTexts,
    reason: string,
  ): Promise<'notStored' | 'storedUnconfirmed' | 'unknown'> {
    try {
      if (this.#holding === 'shared' && isBusy(reason)) {
        // The commit did not begin. After SQLITE_BUSY this library's connection fails at every call.
        this.#connection.reconnect();
        putInForce(this.#connection, this.#holding);
        return 'notStored';
      }
      this.configure();
      if (!isDiskFull(reason)) {
        // The failed commit may be in the log, complete but not synced, and the next start would
        // find it. So a commit is made at once: it overwrites the failed one in the log.
        this.#connection.batch([{ sql: TOUCH }]);
        await this.rewriteLog();
      }
      const args = [texts.puts, texts.at, texts.removals];
      return Number(this.#connection.value(COUNT_PRESENT, args)) === texts.changeCount
        ? 'storedUnconfirmed'
        : 'notStored';
    } catch {
      return 'unknown';
    }
  }
}
