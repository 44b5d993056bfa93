// The storage over a durable object's own SQLite database. A commit is one
// synchronous transaction. The platform holds back every answer of the object until
// the commit is durable (the output gate), so nothing is acknowledged before.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { offsetOf, type Page, type PageRequest } from '../../core/domain/listing.js';
import type { Log } from '../../core/log.js';
import type {
  Changes,
  CommitResult,
  RecordStorage,
  Sequences,
  StoredRow,
  StoredTotals,
  StoredUsage,
  StoredViews,
  ThreeTimes,
} from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import { MEMORY_MAX_BYTES, memoryOf } from './memory-limit.js';
import { migrate, type ObjectStorage, type SqlRow } from './object-storage.js';

const PAGE_ROWS = 1_000;
/** A row of the platform has at most 2 MB; the difference is for the row's other columns. */
export const BODY_MAX_BYTES = 1_990_000;
/** From this part of the memory limit on, the log says that the service should move. */
const NEARLY_FULL = 0.8;

const LOAD = 'select position, collection, id, body from records order by position';
/** One statement for each row: one JSON parameter for all may not be larger than a row. */
const PUT_ROW = `
  insert into records (position, collection, id, body, created_at, updated_at)
  values (?1, ?2, ?3, ?4, ?5, ?5)
  on conflict (position) do update set body = excluded.body, updated_at = excluded.updated_at`;
const REMOVE_ROWS = 'delete from records where position in (select value from json_each(?1))';
const BODIES = 'select body from records where position in (select value from json_each(?1))';
const APPEND_EVENT = 'insert into audit_events (event) values (?1)';
/** A piece of about 4 ms. Reads no body: its length is in the row's header. */
const MEASURE = `
  select collection, count(*) as records, total(octet_length(body)) as bytes,
         max(updated_at) as updated, sum(created_at > ?1) as first, sum(created_at > ?2) as second,
         sum(created_at > ?3) as third, max(position) as last
    from (select * from records where position > ?4 order by position limit 10000)
   group by collection`;

export interface ObjectRecordStorageOptions {
  readonly storage: ObjectStorage;
  readonly log: Log;
  /** "A new empty database receives sample rows." */
  readonly seedsSamples: boolean;
  /** Resolves after requests that wait have been served. */
  readonly pause: () => Promise<void>;
  /** See `memoryOf`. */
  readonly memoryMaxBytes?: number;
}

/** Of one object, which the platform runs at most once. Throws if a later release wrote its database. */
export class ObjectRecordStorage implements RecordStorage, StoredViews {
  /** The platform makes many transactions durable together. A write that finds the object full fails alone. */
  readonly writesPerCommit = 1;
  readonly #storage: ObjectStorage;
  readonly #sql: ObjectStorage['sql'];
  readonly #log: Log;
  readonly #pause: () => Promise<void>;
  readonly #memoryMaxBytes: number;
  /** What the stored records take in memory. */
  #memory = 0;
  #isNearlyFull = false;
  /** The last of the commits and counts, which run one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ObjectRecordStorageOptions) {
    const { storage, log, seedsSamples, pause, memoryMaxBytes = MEMORY_MAX_BYTES } = options;
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#log = log;
    this.#pause = pause;
    this.#memoryMaxBytes = memoryMaxBytes;
    storage.transactionSync(() => {
      if (!migrate(storage) || !seedsSamples) return;
      this.#put({ puts: sampleRows(), removals: [], sequences: {}, events: [], at: Date.now() });
    });
  }

  async *load(): AsyncIterable<readonly StoredRow[]> {
    this.#memory = 0;
    let page: StoredRow[] = [];
    for (const row of this.#sql.exec<StoredRow & SqlRow>(LOAD)) {
      this.#memory += memoryOf(row.body);
      if (page.push(row) < PAGE_ROWS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
    this.#warnIfNearlyFull();
  }

  async sequences(): Promise<Sequences> {
    const [row] = this.#rows<{ sequences: string }>(LOAD_SEQUENCES);
    return JSON.parse(row?.sequences ?? '{}');
  }

  commit(changes: Changes): Promise<CommitResult> {
    return this.#inTurn(() => this.#commit(changes));
  }

  /** Pieces of one moment: commits wait meanwhile, reads go on. */
  usage(createdAfter: ThreeTimes): Promise<StoredTotals> {
    return this.#inTurn(async () => {
      const collections = new Map<string, StoredUsage>();
      for (let last = 0; ; ) {
        const rows = this.#rows<MeasureRow>(MEASURE, ...createdAfter, last);
        if (rows.length === 0) break;
        for (const row of rows) {
          collections.set(row.collection, sumOf(row, collections.get(row.collection)));
          last = Math.max(last, row.last);
        }
        await this.#pause();
      }
      return { collections: [...collections.values()], auditEventCount: this.#eventCount() };
    });
  }

  async auditEvents(page: PageRequest): Promise<Page> {
    const rows = this.#rows<{ event: string }>(LIST_EVENTS, page.pageSize, offsetOf(page));
    return { items: rows.map(({ event }) => event), total: this.#eventCount() };
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new Error('the storage is closed');
    this.#rows('select 1');
  }

  async close(): Promise<void> {
    await this.#last;
    this.#isClosed = true;
  }

  #inTurn<T>(run: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => {});
    return result;
  }

  #commit(changes: Changes): CommitResult {
    if (this.#isClosed) return { status: 'unknown', error: new Error('the storage is closed') };
    let isPut = false;
    try {
      const memory = this.#memory + this.#growthBy(changes);
      if (memory > this.#memory && memory > this.#memoryMaxBytes) throw this.#full(memory);
      this.#storage.transactionSync(() => {
        this.#put(changes);
        isPut = true;
      });
      this.#memory = memory;
      this.#warnIfNearlyFull();
      return { status: 'committed' };
    } catch (error) {
      // The commit itself failed: what is stored now is unknown.
      if (isPut) return { status: 'unknown', error };
      // A transaction that throws is rolled back as a whole.
      if (!(error instanceof EventsRefused)) return { status: 'notStored', error };
      const result = this.#commit({ ...changes, events: [] });
      return result.status === 'committed' ? { ...result, auditError: error.cause } : result;
    }
  }

  #put({ puts, removals, sequences, events, at }: Changes): void {
    for (const { position, collection, id, body } of puts) {
      this.#sql.exec(PUT_ROW, position, collection, id, body, at);
    }
    if (removals.length > 0) this.#sql.exec(REMOVE_ROWS, JSON.stringify(removals));
    this.#sql.exec(PUT_SEQUENCES, JSON.stringify(sequences));
    try {
      for (const event of events) this.#sql.exec(APPEND_EVENT, JSON.stringify(event));
    } catch (cause) {
      // "If the audit write fails …, the change stands."
      throw new EventsRefused('the audit events cannot be stored', { cause });
    }
  }

  #growthBy({ puts, removals }: Changes): number {
    let growth = 0;
    for (const { body } of puts) growth += memoryOf(body);
    const positions = [...puts.map(({ position }) => position), ...removals];
    for (const { body } of this.#sql.exec<{ body: string }>(BODIES, JSON.stringify(positions))) {
      growth -= memoryOf(body);
    }
    return growth;
  }

  #full(memory: number): Error {
    return new Error(
      `the records would take ${memory} bytes of memory; one object has room for ${this.#memoryMaxBytes}: delete records, or move to Postgres by manage dump and manage load`,
    );
  }

  #warnIfNearlyFull(): void {
    const isNearlyFull = this.#memory > NEARLY_FULL * this.#memoryMaxBytes;
    if (isNearlyFull && !this.#isNearlyFull) {
      const hint = 'move to Postgres by manage dump and manage load before writes are refused';
      const [memory, limit] = [this.#memory, this.#memoryMaxBytes];
      this.#log.warn('object_nearly_full', { memory_bytes: memory, limit_bytes: limit, hint });
    }
    this.#isNearlyFull = isNearlyFull;
  }

  #eventCount(): number {
    return this.#rows<{ total: number }>(TOTAL_EVENTS)[0]?.total ?? 0;
  }

  #rows<Row extends SqlRow>(statement: string, ...bindings: (string | number)[]): Row[] {
    return [...this.#sql.exec<Row>(statement, ...bindings)];
  }
}

class EventsRefused extends Error {}

interface MeasureRow extends SqlRow {
  readonly collection: string;
  readonly records: number;
  readonly bytes: number;
  readonly updated: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly last: number;
}

function sumOf(row: MeasureRow, before: StoredUsage | undefined): StoredUsage {
  const [first, second, third] = before?.createdAfter ?? [0, 0, 0];
  return {
    collection: row.collection as CollectionName,
    records: row.records + (before?.records ?? 0),
    payloadBytes: row.bytes + (before?.payloadBytes ?? 0),
    createdAfter: [row.first + first, row.second + second, row.third + third],
    lastUpdatedAt: Math.max(row.updated, before?.lastUpdatedAt ?? 0),
  };
}
