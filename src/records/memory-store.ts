// Opens the records: everything from the journal into memory, then one writer.

import type { Actor } from '../domain/audit-event.js';
import { type Log, silentLog } from '../log.js';
import { type ServiceEvents, silentEvents } from '../service-events.js';
import type { Journal } from './journal.js';
import { MemoryAccount, type MemoryAccountContext } from './memory-account.js';
import { MemoryOperator } from './memory-operator.js';
import { RecordSet } from './record-set.js';
import type { AccountRecords, OperatorViews, RecordStore } from './record-store.js';
import { SearchBlocks } from './search-blocks.js';
import { nextTask, type Pause, Turns } from './turns.js';
import { Writer } from './writer.js';

export interface OpenRecordsOptions {
  readonly journal: Journal;
  readonly log?: Log;
  /** Told of every commit. Default: nobody is. */
  readonly events?: ServiceEvents;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** Lets the host serve what is waiting. Default: `setImmediate`, or a timer where there is none. */
  readonly pause?: Pause;
  /**
   * Called once when, after a failed commit, nobody can tell what storage holds.
   * Every later write fails with `STORAGE_FAILED`; reopen the records or stop.
   */
  readonly onStorageLost?: (error: unknown) => void;
}

/** The records of one process, and how to let go of them. */
export interface OpenRecords extends RecordStore {
  /** Writes that wait for a commit. */
  readonly writesWaiting: number;
  /** Waits for every write under way, then closes the journal. */
  close(): Promise<void>;
}

/** Loads every row of the journal. Rejects, naming the row, where one is no record. */
export async function openRecords(options: OpenRecordsOptions): Promise<OpenRecords> {
  const { journal, log = silentLog, events = silentEvents } = options;
  const { clock = Date.now, pause = nextTask } = options;
  const set = new RecordSet();
  for await (const rows of journal.load()) for (const row of rows) set.load(row);
  // Many accounts take a while to sort: before anyone waits for it.
  void set.owners;
  const onStorageLost = options.onStorageLost ?? (() => {});
  const [turns, searchBlocks] = [new Turns(pause), new SearchBlocks()];
  const writer = new Writer({ set, journal, log, events, clock, onStorageLost });
  return new MemoryStore({ set, writer, journal, clock, turns, searchBlocks });
}

class MemoryStore implements OpenRecords {
  readonly #context: MemoryAccountContext & { readonly journal: Journal };
  readonly operator: OperatorViews;

  constructor(context: MemoryAccountContext & { readonly journal: Journal }) {
    this.#context = context;
    this.operator = new MemoryOperator(context);
  }

  account(owner: string, actor?: Actor): AccountRecords {
    return new MemoryAccount(this.#context, owner, actor);
  }

  get writesWaiting(): number {
    return this.#context.writer.waiting;
  }

  async close(): Promise<void> {
    await this.#context.writer.settled();
    await this.#context.journal.close();
  }
}
