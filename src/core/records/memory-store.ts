// Opens the records: loads everything from the storage into memory, and creates the one writer. The
// operator's views are computed on demand, so that no second count can disagree with the records.

import { FairScheduler } from '../admission/fair-scheduler.js';
import type { RecordCounts } from '../domain/api-schema.js';
import { COLLECTION_NAMES } from '../domain/collection-name.js';
import { offsetOf } from '../domain/listing.js';
import { Needle } from '../domain/search.js';
import { silentLog } from '../log.js';
import { NO_LIMITS } from './account-limits.js';
import { MemoryAccount } from './memory-account.js';
import type { OperatorViews, RecordService } from './record-service.js';
import { RecordSet } from './record-set.js';
import type { RecordStorage, StoredViews } from './record-storage.js';
import { SearchBlocks } from './search-blocks.js';
import { totalsOf, usageView, windowStarts } from './usage-view.js';
import { Writer, type WriterOptions } from './writer.js';

export interface OpenRecordsOptions extends Partial<Omit<WriterOptions, 'set' | 'storage'>> {
  readonly storage: RecordStorage & StoredViews;
  /** The size of the cache for searches. Default: 32,000,000. */
  readonly searchMaxCharacters?: number;
}

/** The records of one process. */
export interface OpenRecords extends RecordService {
  /** Queued writes, without those of the commit in progress. */
  readonly writesWaiting: number;
  /** Number of records by collection. */
  counts(): RecordCounts;
  /** Number of accounts with at least one record. */
  readonly accountCount: number;
  /** Every later write fails with `STORAGE_FAILED`; reads continue. Resolves when no commit is in progress. */
  refuseWrites(): Promise<void>;
  /** Waits for every write in progress, then refuses writes as `refuseWrites` does and closes the storage. */
  close(): Promise<void>;
}

/** Two writers over one storage would give the same ids and positions, and each replace the other's rows. */
const taken = new WeakSet<object>();

/** Loads every row of the storage, which has no other records. Rejects with an error that names the row if one is not a record. */
export async function openRecords(options: OpenRecordsOptions): Promise<OpenRecords> {
  const { storage, log = silentLog, clock = Date.now, scheduler = new FairScheduler() } = options;
  const { limits = NO_LIMITS, onStorageLost = () => {}, events } = options;
  if (typeof storage?.load !== 'function') {
    const found = Object.prototype.toString.call(storage).slice(8, -1);
    throw new TypeError(`storage is ${found}; it must be a RecordStorage (await its opening)`);
  }
  const set = new RecordSet({ countsBytes: limits.maxBytes > 0 });
  for await (const page of storage.load()) set.load(page);
  const sequences = await storage.sequences();
  for (const name of COLLECTION_NAMES) set.raiseSequence(name, sequences[name] ?? 0);
  if (taken.has(storage)) {
    throw new Error('records are already open over this storage; use those, or reopen the storage');
  }
  taken.add(storage);
  const writer = new Writer({ set, storage, limits, scheduler, log, events, clock, onStorageLost });
  const searchBlocks = new SearchBlocks(options.searchMaxCharacters);
  const context = { set, writer, searchBlocks, scheduler };
  return {
    account: (owner, requestContext) => new MemoryAccount(context, owner, requestContext),
    operator: operatorViews(set, storage, scheduler, clock),
    get writesWaiting() {
      return writer.waiting;
    },
    counts: () => ({ ...set.counts }),
    get accountCount() {
      return set.ownerCount;
    },
    refuseWrites: () => writer.refuseWrites(),
    async close() {
      await writer.settled();
      await writer.refuseWrites();
      await storage.close();
    },
  };
}

/** The operator's searches take turns with the accounts under this name, which can't be a subject: it is empty. */
const OPERATOR = '';

function operatorViews(
  set: RecordSet,
  storage: StoredViews,
  scheduler: FairScheduler,
  clock: () => number,
): OperatorViews {
  const yieldIfNeeded = () => scheduler.yieldIfNeeded(OPERATOR);

  /** Sorted. Searches the subject and the account's business profiles. */
  async function matchingOwners(q: string): Promise<string[]> {
    const needle = new Needle(q);
    const matching: string[] = [];
    for (const owner of [...set.owners]) {
      const turn = yieldIfNeeded();
      if (turn !== undefined) await turn;
      const profiles = set.snapshot(owner, 'businesses').flat();
      for (const text of [owner, ...profiles.map((profile) => profile.text)]) {
        if (!(await needle.isIn(text, yieldIfNeeded))) continue;
        matching.push(owner);
        break;
      }
    }
    // Between its time slices, an account may have lost its last record.
    return matching.filter((owner) => set.has(owner));
  }

  return {
    overview: async () => ({ tenant_count: set.ownerCount, ...totalsOf(set.counts) }),
    async accounts({ q, ...page }) {
      const owners = q === '' ? set.owners : await matchingOwners(q);
      const first = offsetOf(page);
      const rows = owners
        .slice(first, first + page.pageSize)
        .map((owner) => ({ owner_sub: owner, ...totalsOf(set.countsOf(owner)) }));
      return { items: rows.map((row) => JSON.stringify(row)), total: owners.length };
    },
    usage: async () => usageView(await storage.usage(windowStarts(clock()))),
    audit: (query) => storage.auditEvents(query),
    ping: () => storage.ping(),
  };
}
