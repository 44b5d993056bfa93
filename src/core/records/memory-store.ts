// Opens the records: everything from the storage into memory, then one writer.

import { FairScheduler } from '../admission/fair-scheduler.js';
import type { RecordCounts } from '../domain/api-schema.js';
import { byCollection, COLLECTION_NAMES } from '../domain/collection-name.js';
import { type Log, silentLog } from '../log.js';
import { type AccountLimits, NO_LIMITS } from './account-limits.js';
import { MemoryAccount } from './memory-account.js';
import { MemoryOperator } from './memory-operator.js';
import type { RecordService } from './record-service.js';
import { RecordSet } from './record-set.js';
import type { RecordStorage, StoredViews } from './record-storage.js';
import { SearchBlocks } from './search-blocks.js';
import { Writer, type WriterOptions } from './writer.js';

export interface OpenRecordsOptions {
  readonly storage: RecordStorage & StoredViews;
  readonly log?: Log;
  /** Called for every commit. */
  readonly events?: WriterOptions['events'];
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** The turns that all long work of the process takes. Default: turns of these records only. */
  readonly scheduler?: FairScheduler;
  /** Default: none. */
  readonly limits?: AccountLimits;
  /** Of texts that are kept for the next search. Default: 32,000,000. */
  readonly searchMaxCharacters?: number;
  /**
   * Called once if a commit failed and what storage holds is unknown.
   * Every later write fails with `STORAGE_FAILED`; reopen the records or stop.
   */
  readonly onStorageLost?: (error: unknown) => void;
}

/** The records of one process, and how to let go of them. */
export interface OpenRecords extends RecordService {
  /** Writes that wait for a commit; those of the one under way are not among them. */
  readonly writesWaiting: number;
  /** How many records there are of each collection. */
  counts(): RecordCounts;
  /** Accounts with at least one record. */
  readonly accountCount: number;
  /** Every later write fails with `STORAGE_FAILED`; reads continue. Resolves when no commit is under way. */
  refuseWrites(): Promise<void>;
  /** Waits for every write under way, then closes the storage. */
  close(): Promise<void>;
}

/** Loads every row of the storage. Rejects, naming the row, if one is not a record. */
export async function openRecords(options: OpenRecordsOptions): Promise<OpenRecords> {
  const { storage, log = silentLog, clock = Date.now, scheduler = new FairScheduler() } = options;
  const { limits = NO_LIMITS, onStorageLost = () => {}, events } = options;
  const set = new RecordSet({ countsBytes: limits.maxBytes > 0 });
  for await (const page of storage.load()) set.load(page);
  const sequences = await storage.sequences();
  for (const name of COLLECTION_NAMES) set.raiseSequence(name, sequences[name] ?? 0);
  const writer = new Writer({ set, storage, limits, scheduler, log, events, clock, onStorageLost });
  const searchBlocks = new SearchBlocks(options.searchMaxCharacters);
  const context = { set, writer, searchBlocks, scheduler };
  return {
    account: (owner, sender) => new MemoryAccount(context, owner, sender),
    operator: new MemoryOperator({ set, storage, scheduler, clock }),
    get writesWaiting() {
      return writer.waiting;
    },
    counts: () => byCollection((name) => set.count(name)),
    get accountCount() {
      return set.ownerCount;
    },
    async refuseWrites() {
      writer.refuse();
      await writer.settled();
    },
    async close() {
      await writer.settled();
      await storage.close();
    },
  };
}
