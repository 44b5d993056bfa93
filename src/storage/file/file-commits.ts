// Commits to the file, and what is stored after one that failed.

import type { CommitResult } from '../../core/records/record-storage.js';
import { PUT_SEQUENCES } from '../records-table.js';
import { configure, type Statement } from './connection.js';
import { isBusy, messageOf } from './connection-errors.js';
import { APPEND_EVENTS, IS_STORED, PUT_ROWS, REMOVE_ROWS, TOUCH } from './file-schema.js';
import type { OwnFile } from './own-database.js';
import { rewriteLog } from './write-ahead-log.js';

/** The changes of a commit as JSON texts, which the thread passes on without parsing them. */
export interface CommitTexts {
  /** Array of `[position, collection, id, body, owner, status]`. */
  readonly puts: string;
  /** Array of positions. */
  readonly removals: string;
  /** Object: the highest number by collection. */
  readonly sequences: string;
  /** Array of objects. */
  readonly events: string;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

const NOTHING = { puts: '[]', removals: '[]', at: 0 };

function statements({ puts, removals, sequences, events, at }: CommitTexts): Statement[] {
  return [
    { sql: PUT_ROWS, args: [puts, at] },
    { sql: REMOVE_ROWS, args: [removals] },
    { sql: PUT_SEQUENCES, args: [sequences] },
    // "If the audit write fails …, the change stands."
    { sql: APPEND_EVENTS, args: [events], isOptional: true },
  ].filter(({ args }) => args[0] !== '[]' && args[0] !== '{}');
}

/** The disk had no room for the whole commit, so none of it is in the log as a commit. */
const isDiskFull = (reason: string) => reason.startsWith('SQLITE_FULL');

export class FileCommits {
  readonly #file: OwnFile;
  /** The log could not be written back. The next commit that finds room must do so, or the log takes all of it. */
  #wasFull = false;

  constructor(file: OwnFile) {
    this.#file = file;
  }

  commit(texts: CommitTexts, isSecond = false): CommitResult {
    try {
      const auditError = this.#file.connection.batch(statements(texts));
      if (this.#wasFull) this.#reuseLog();
      return auditError ? { status: 'committed', auditError } : { status: 'committed' };
    } catch (error) {
      const reason = messageOf(error);
      if (isDiskFull(reason) && !isSecond && this.#reuseLog()) return this.commit(texts, true);
      return { status: this.#stateAfterFailure(texts, reason), error: new Error(reason) };
    }
  }

  /** A commit that changes nothing. */
  touch(): void {
    try {
      this.#file.connection.batch([{ sql: TOUCH }]);
    } catch (error) {
      // It needs the same steps as a failed commit.
      this.#stateAfterFailure(NOTHING, messageOf(error));
      throw error;
    }
  }

  /** To be called on a new connection, too, which has neither the lock nor the settings of the old one. */
  configure(): void {
    configure(this.#file.connection, this.#file.isReplicated);
    // A batch reports a failure that a single statement may hide. It also takes the lock.
    this.#file.connection.batch([{ sql: 'select 1' }]);
  }

  /** No one else may write to the log in the meantime. */
  rewriteLog(): void {
    const { connection, path, isReplicated } = this.#file;
    if (isReplicated) connection.holding(() => rewriteLog(path));
    else rewriteLog(path);
  }

  /** Returns whether the next commit may find room in a log that was written back. */
  #reuseLog(): boolean {
    if (this.#file.isReplicated) return false;
    try {
      this.configure();
      // SQLite itself starts the log again only when it has 1,000 pages, which a full disk may never hold.
      const isBusy = this.#file.connection.value('pragma wal_checkpoint(restart)');
      this.#wasFull = isBusy !== 0;
    } catch {
      this.#wasFull = true;
    }
    return !this.#wasFull;
  }

  /** Whether the file has the rows of a failed commit. */
  #stateAfterFailure(
    { puts, removals, at }: typeof NOTHING,
    reason: string,
  ): 'notStored' | 'storedUnconfirmed' | 'unknown' {
    const { connection, isReplicated } = this.#file;
    try {
      if (isReplicated && isBusy(reason)) {
        // The commit did not begin. After SQLITE_BUSY this library's connection fails at every call.
        connection.reconnect();
        configure(connection, isReplicated);
        return 'notStored';
      }
      this.configure();
      if (!isDiskFull(reason)) {
        // The failed commit may be in the log, complete but not synced, where the next start would
        // find it. A commit made at once overwrites it.
        connection.batch([{ sql: TOUCH }]);
        this.rewriteLog();
      }
      const isStored = connection.value(IS_STORED, [puts, at, removals]) === 1;
      return isStored ? 'storedUnconfirmed' : 'notStored';
    } catch {
      return 'unknown';
    }
  }
}
