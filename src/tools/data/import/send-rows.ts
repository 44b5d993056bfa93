// Sends the staged rows over several connections, in rounds. At the first failure nothing
// more is sent, and the requests under way end. Then the import finds out which of them
// created a record, and the next round continues.

import { sequenceOf } from '../../../core/domain/identifier.js';
import { ApiError } from '../../../operator-client.js';
import type { Progress } from '../../program/progress.js';
import { CommandError, isPassing, sentenceOf } from '../failures.js';
import { settle, type Target, writesDecided } from './settle.js';
import type { StagedRow, Staging } from './staging.js';

export interface SendOptions {
  readonly target: Target;
  readonly staging: Staging;
  /** The number of the newest record before the first row. */
  readonly newest: number;
  readonly connections: number;
  /** From the file's last row to its first. */
  readonly isReversed: boolean;
  readonly progress: Progress;
  readonly interrupted: AbortSignal;
  /** The service refuses a row that the dry run accepted. Throws if that ends the import. */
  refused(row: StagedRow, message: string): Promise<void>;
}

const ROWS_AT_ONCE = 64;
/** A row that gets this many answers with 500 counts as refused. */
const TRIES_MAX = 5;

/** Resolves when every row is created or refused, or Ctrl-C was pressed. */
export async function sendRows(options: SendOptions): Promise<void> {
  const { target, staging, interrupted, progress } = options;
  const sending = new Sending(options);
  let waiting = target.service.startWaiting();
  for (;;) {
    const before = staging.count('created');
    const trouble = await sending.round();
    if (trouble === undefined || interrupted.aborted) return;
    if (staging.count('created') > before) waiting = target.service.startWaiting();
    await waiting.wait(trouble);
    if (interrupted.aborted) return;
    if (staging.count('unsure') === 0) continue;
    await writesDecided(target.service, interrupted);
    progress.add(await settle(target, staging, sending.unsureAfter, 'created'));
    sending.settled();
  }
}

class Sending {
  /** Records of unsure rows have higher numbers. */
  unsureAfter = Number.POSITIVE_INFINITY;
  readonly #options: SendOptions;
  readonly #tries = new Map<number, number>();
  #rows: StagedRow[] = [];
  #last = 0;
  /** The highest number of a record that is known. */
  #highest: number;
  #trouble: ApiError | undefined;
  #failure: unknown;

  constructor(options: SendOptions) {
    this.#options = options;
    this.#highest = options.newest;
  }

  settled(): void {
    this.unsureAfter = Number.POSITIVE_INFINITY;
  }

  /** Sends until all rows are sent or a request fails. Resolves with the failure when nothing is under way any more. */
  async round(): Promise<ApiError | undefined> {
    this.#rows = [];
    this.#last = this.#options.isReversed ? Number.MAX_SAFE_INTEGER : 0;
    this.#trouble = undefined;
    const { connections } = this.#options;
    await Promise.all(Array.from({ length: connections }, () => this.#connection()));
    if (this.#failure !== undefined) throw this.#failure;
    return this.#trouble;
  }

  async #connection(): Promise<void> {
    try {
      for (let row = this.#next(); row !== undefined; row = this.#next()) await this.#send(row);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #next(): StagedRow | undefined {
    const { interrupted, staging, isReversed } = this.#options;
    if (interrupted.aborted || this.#trouble || this.#failure !== undefined) return undefined;
    if (this.#rows.length === 0) this.#rows = staging.open(this.#last, ROWS_AT_ONCE, isReversed);
    const row = this.#rows.shift();
    this.#last = row?.row ?? this.#last;
    return row;
  }

  async #send(row: StagedRow): Promise<void> {
    const { target, staging, progress } = this.#options;
    const { service, account, collection } = target;
    const highestBefore = this.#highest;
    try {
      const { id } = await service.records(account, collection).create(JSON.parse(row.body));
      const sequence = sequenceOf(collection, id);
      this.#highest = Math.max(this.#highest, sequence);
      staging.set(row.row, 'created', sequence);
      progress.add();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.#failed(row, error, highestBefore);
    }
  }

  async #failed(row: StagedRow, error: ApiError, highestBefore: number): Promise<void> {
    const { refused, staging } = this.#options;
    const { status, code } = error;
    if (isPassing(error)) {
      const tries = (this.#tries.get(row.row) ?? 0) + (status === 500 ? 1 : 0);
      this.#tries.set(row.row, tries);
      if (tries < TRIES_MAX) {
        // After any other failure the record may have been made, or may still be.
        if (status !== 429) {
          staging.set(row.row, 'unsure');
          this.unsureAfter = Math.min(this.unsureAfter, highestBefore);
        }
        // Several connections fail at once: the wait that an answer asked for counts.
        if (error.retryAfterMs !== undefined) this.#trouble = error;
        this.#trouble ??= error;
        return;
      }
    } else if (status !== 422 && code !== 'INVALID_JSON') {
      throw new CommandError(sentenceOf(error), { cause: error });
    }
    await refused(row, `${code}: ${error.message}`);
    if (code === 'QUOTA_EXCEEDED') {
      throw new CommandError(`${error.message}; nothing more of the file fits`);
    }
  }
}
