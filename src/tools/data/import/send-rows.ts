// Sends the judged rows over several connections, in rounds. At the first failure nothing
// more is sent, and the requests under way end. Then the import finds out which uncertain
// rows were created, and the next round continues.

import { ApiError } from '../../../operator-client.js';
import type { Progress } from '../../program/progress.js';
import { CommandError, isPassing, sentenceOf } from '../failures.js';
import type { Service } from '../service.js';
import type { ImportJournal } from './import-journal.js';
import { settle } from './settle.js';
import type { Spool, SpooledRow } from './spool.js';

/** One entry of the journal, and one sync of the disk, announces this many rows. */
const ANNOUNCED_ROWS = 64;
/** A row that gets this many answers with 500 counts as refused. */
const TRIES_MAX = 5;

export interface SendOptions {
  readonly service: Service;
  readonly journal: ImportJournal;
  readonly spool: Spool;
  readonly connections: number;
  /** From the file's last row to its first. */
  readonly isReversed: boolean;
  readonly progress: Progress;
  readonly interrupted: AbortSignal;
  /** The service refuses a row that the dry run accepted. Throws if that ends the import. */
  refused(row: SpooledRow, message: string): Promise<void>;
}

/** Resolves when every row is created or refused, or Ctrl-C was pressed. */
export async function sendRows(options: SendOptions): Promise<void> {
  const { service, journal, spool, interrupted, progress } = options;
  const positions = new Map<number, number>();
  const sending = new Sending(options);
  let waiting = service.startWaiting();
  for (;;) {
    await settleAll();
    const before = journal.created.size;
    const trouble = await sending.round();
    if (trouble === undefined || interrupted.aborted) return settleAll();
    if (journal.created.size > before) waiting = service.startWaiting();
    await waiting.wait(trouble);
    if (interrupted.aborted) return;
  }

  async function settleAll(): Promise<void> {
    if (journal.uncertain.size === 0 || interrupted.aborted) return;
    await findPositions();
    const found = await settle({
      service,
      journal,
      interrupted,
      bodyOf: async (row) => (await spool.read(positions.get(row) ?? 0)).body,
    });
    progress.add(found);
  }

  /** Finds the uncertain rows in the spool; called only if there are any. */
  async function findPositions(): Promise<void> {
    if (positions.size > 0) return;
    for (let index = 0; index < spool.length; index++) {
      positions.set((await spool.read(index)).row, index);
    }
  }
}

class Sending {
  readonly #options: SendOptions;
  readonly #refused = new Set<number>();
  readonly #tries = new Map<number, number>();
  #announced: SpooledRow[] = [];
  #announcing: Promise<void> | undefined;
  #next = 0;
  #trouble: ApiError | undefined;
  #failure: unknown;

  constructor(options: SendOptions) {
    this.#options = options;
  }

  /** Sends until all rows are sent or a request fails. Resolves with the failure when nothing is under way any more. */
  async round(): Promise<ApiError | undefined> {
    this.#next = 0;
    this.#trouble = undefined;
    const { connections, journal } = this.#options;
    await Promise.all(Array.from({ length: connections }, () => this.#connection()));
    // Announced but not sent.
    for (const { row } of this.#announced) journal.notCreated(row);
    this.#announced = [];
    if (this.#failure !== undefined) throw this.#failure;
    return this.#trouble;
  }

  async #connection(): Promise<void> {
    try {
      for (;;) {
        const row = await this.#take();
        if (row === undefined) return;
        await this.#send(row);
      }
    } catch (error) {
      this.#failure ??= error;
    }
  }

  get #mustStop(): boolean {
    return (
      this.#options.interrupted.aborted ||
      this.#trouble !== undefined ||
      this.#failure !== undefined
    );
  }

  async #take(): Promise<SpooledRow | undefined> {
    for (;;) {
      if (this.#mustStop) return undefined;
      const row = this.#announced.shift();
      if (row !== undefined) return row;
      if (this.#next >= this.#options.spool.length) return undefined;
      this.#announcing ??= this.#announce().finally(() => {
        this.#announcing = undefined;
      });
      await this.#announcing;
    }
  }

  async #announce(): Promise<void> {
    const { spool, journal, isReversed } = this.#options;
    const rows: SpooledRow[] = [];
    while (rows.length < ANNOUNCED_ROWS && this.#next < spool.length) {
      const index = isReversed ? spool.length - 1 - this.#next : this.#next;
      this.#next++;
      const row = await spool.read(index);
      if (!journal.created.has(row.row) && !this.#refused.has(row.row)) rows.push(row);
    }
    if (rows.length === 0) return;
    await journal.sending(rows.map(({ row }) => row));
    this.#announced.push(...rows);
  }

  async #send(row: SpooledRow): Promise<void> {
    const { service, journal, progress } = this.#options;
    const { collection, account } = journal.header;
    try {
      const { id } = await service.records(account, collection).create(JSON.parse(row.body));
      journal.done(row.row, id);
      progress.add();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.#failed(row, error);
    }
  }

  async #failed(row: SpooledRow, error: ApiError): Promise<void> {
    const { journal, refused } = this.#options;
    const isRowsOwn = error.status === 422 || error.code === 'INVALID_JSON';
    if (isPassing(error)) {
      // No connection was made, so the request has not arrived. After any other failure it may have arrived.
      if (error.status === 429) journal.notCreated(row.row);
      const tries = (this.#tries.get(row.row) ?? 0) + (error.status === 500 ? 1 : 0);
      this.#tries.set(row.row, tries);
      if (tries < TRIES_MAX) {
        // Several connections fail at once: the wait that an answer asked for counts.
        if (error.retryAfterMs !== undefined) this.#trouble = error;
        this.#trouble ??= error;
        return;
      }
    } else {
      journal.notCreated(row.row);
      if (!isRowsOwn) throw new CommandError(sentenceOf(error), { cause: error });
    }
    this.#refused.add(row.row);
    await refused(row, `${error.code}: ${error.message}`);
    if (error.code === ('QUOTA_EXCEEDED' as string)) {
      throw new CommandError(`${error.message}; nothing more of the file fits`);
    }
  }
}
