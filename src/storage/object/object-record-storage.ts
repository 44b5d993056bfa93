// The storage over a durable object's own SQLite database, and its dumps. A commit is one synchronous
// transaction. The platform delays every response of the object until the commit is durable (the output
// gate), so nothing is acknowledged earlier.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { offsetOf, type Page, type PageRequest } from '../../core/domain/listing.js';
import { parseJsonLine } from '../../core/json-line.js';
import type { Log } from '../../core/log.js';
import type {
  Changes,
  CommitResult,
  RecordStorage,
  Sequences,
  StoredRow,
  StoredTotals,
  StoredViews,
  ThreeTimes,
} from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import {
  assertRecord,
  type DumpLine,
  type EventLine,
  isEvent,
  isRecord,
  linesOf,
  recordLine,
} from '../dump/dump-lines.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import {
  MEMORY_MAX_BYTES,
  memoryOf,
  type ObjectStorage,
  prepareSchema,
  rowsOf,
  type SqlRow,
  tooLargeFor,
} from './object-storage.js';

const PAGE_ROWS = 1_000;
/** The usage view pauses after this many rows, which take about 10 ms. */
const USAGE_STEP_ROWS = 5_000;
/** Above this part of the memory limit, the log warns that the service should move to Postgres. */
const WARNING_THRESHOLD = 0.8;

const LOAD = 'select position, collection, id, body from records order by position';
/** A statement for each row, because a parameter with all rows can't be larger than one row. */
const PUT_ROW = `
  insert into records (position, collection, id, body, created_at, updated_at)
  values (?1, ?2, ?3, ?4, ?5, ?5)
  on conflict (position) do update set body = excluded.body, updated_at = excluded.updated_at`;
const REMOVE_ROWS = 'delete from records where position in (select value from json_each(?1))';
const BODIES = 'select body from records where position in (select value from json_each(?1))';
const APPEND_EVENT = 'insert into audit_events (event) values (?1)';
const EVENTS = 'select id, event from audit_events order by id';
const DUMP_PIECE_CHARACTERS = 65_536;
/** Reads no body, because its length is in the row's header. */
const MEASURE =
  'select collection, octet_length(body) as bytes, created_at, updated_at from records';
type Measured = Readonly<Record<'bytes' | 'created_at' | 'updated_at', number>>;

export interface ObjectRecordStorageOptions {
  readonly storage: ObjectStorage;
  readonly log: Log;
  /** "A new empty database receives sample rows." */
  readonly seedsSamples: boolean;
  /** Resolves after waiting requests have been served. */
  readonly pause: () => Promise<void>;
  /** See `memoryOf`. */
  readonly memoryMaxBytes?: number;
}

/** The storage of one object, of which the platform runs one instance at a time. Throws if a later release wrote its database. */
export class ObjectRecordStorage implements RecordStorage, StoredViews {
  /** The platform batches transactions itself, and a write that finds the object full must fail alone. */
  readonly writesPerCommit = 1;
  readonly #options: Required<ObjectRecordStorageOptions>;
  /** Memory that the stored records take. */
  #memory = 0;
  /** The last count of the usage view, during which commits wait. */
  #counted: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ObjectRecordStorageOptions) {
    this.#options = { memoryMaxBytes: MEMORY_MAX_BYTES, ...options };
    const { storage, seedsSamples } = options;
    storage.transactionSync(() => {
      if (!prepareSchema(storage) || !seedsSamples) return;
      this.#put({ puts: sampleRows(), removals: [], sequences: {}, at: Date.now() });
    });
  }

  async *load(): AsyncIterable<readonly StoredRow[]> {
    let memory = 0;
    let page: StoredRow[] = [];
    for (const row of this.#options.storage.sql.exec<StoredRow & SqlRow>(LOAD)) {
      memory += memoryOf(row.body);
      if (page.push(row) < PAGE_ROWS) continue;
      yield page;
      page = [];
    }
    this.#setMemory(memory);
    if (page.length > 0) yield page;
  }

  async sequences(): Promise<Sequences> {
    return this.#highest();
  }

  async commit(changes: Changes): Promise<CommitResult> {
    await this.#counted;
    const { storage, memoryMaxBytes } = this.#options;
    const { events } = changes;
    let isPut = false;
    let auditError: unknown;
    const append = () => events.map((event) => this.#rows(APPEND_EVENT, JSON.stringify(event)));
    try {
      if (this.#isClosed) throw new Error('the storage is closed');
      const memory = this.#memory + this.#memoryDelta(changes);
      if (memory > Math.max(memoryMaxBytes, this.#memory)) {
        throw tooLargeFor(memoryMaxBytes, memory);
      }
      storage.transactionSync(() => {
        this.#put(changes);
        // "If the audit write fails …, the change stands", hence a nested transaction.
        try {
          if (events.length > 0) storage.transactionSync(append);
        } catch (error) {
          auditError = error;
        }
        isPut = true;
      });
      this.#setMemory(memory);
      return { status: 'committed', ...(auditError !== undefined && { auditError }) };
    } catch (error) {
      // If the commit itself failed, it is unknown what is stored. Any earlier error rolled everything back.
      return { status: isPut || this.#isClosed ? 'unknown' : 'notStored', error };
    }
  }

  /** Commits wait until the count ends; reads continue. */
  usage(createdAfter: ThreeTimes): Promise<StoredTotals> {
    const count = this.#counted.then(() => this.#count(createdAfter));
    this.#counted = count.catch(() => {});
    return count;
  }

  async #count(createdAfter: ThreeTimes): Promise<StoredTotals> {
    const totals = new Map<CollectionName, ReturnType<typeof newTotal>>();
    let rows = 0;
    const measured = this.#options.storage.sql.exec<Measured & { collection: CollectionName }>(
      MEASURE,
    );
    for (const { collection, bytes, created_at, updated_at } of measured) {
      const total = totals.get(collection) ?? newTotal(collection);
      totals.set(collection, total);
      total.records++;
      total.payloadBytes += bytes;
      for (const i of [0, 1, 2] as const) {
        if (created_at > createdAfter[i]) total.createdAfter[i]++;
      }
      total.lastUpdatedAt = Math.max(total.lastUpdatedAt, updated_at);
      if (++rows % USAGE_STEP_ROWS === 0) await this.#options.pause();
    }
    return { collections: [...totals.values()], auditEventCount: this.#eventCount() };
  }

  async auditEvents(page: PageRequest): Promise<Page> {
    const rows = this.#rows<{ event: string }>(LIST_EVENTS, page.pageSize, offsetOf(page));
    return { items: rows.map(({ event }) => event), total: this.#eventCount() };
  }

  /** The text of a dump in pieces, each of whole lines. Nothing may be written until it ends. */
  *dumpText(): Generator<string> {
    let piece = '';
    for (const line of this.#dumpLines()) {
      piece += `${JSON.stringify(line)}\n`;
      if (piece.length < DUMP_PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
    yield piece;
  }

  *#dumpLines(): Generator<DumpLine> {
    const { sql } = this.#options.storage;
    for (const row of sql.exec('select * from records order by position')) yield recordLine(row);
    yield* sql.exec<EventLine & SqlRow>(EVENTS);
    yield { highest: this.#highest() };
  }

  /**
   * Replaces the sample rows by a dump, compressed by gzip; afterwards, open another storage. Rejects, and
   * changes nothing, if the service holds other records, if a row would prevent a start, or if the rows
   * don't fit into memory.
   */
  loadDump(compressed: ArrayBuffer): Promise<void> {
    const { storage, memoryMaxBytes } = this.#options;
    return storage.transaction(async () => {
      this.#assertPristine();
      for (const table of ['records', 'sequences']) this.#rows(`delete from ${table}`);
      let [position, memory] = [0, 0];
      const bytes = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'));
      for await (const text of linesOf(bytes.pipeThrough(new TextDecoderStream()))) {
        const line = parseJsonLine(text) ?? {};
        if (isRecord(line)) {
          assertRecord(line);
          const { collection, id, body, created_at, updated_at } = line;
          memory += memoryOf(body);
          if (memory > memoryMaxBytes) throw tooLargeFor(memoryMaxBytes, memory);
          const row = [++position, collection, id, body, created_at, updated_at];
          this.#rows('insert into records values (?1, ?2, ?3, ?4, ?5, ?6)', ...row);
        } else if (isEvent(line)) {
          this.#rows('insert into audit_events values (?1, ?2)', line.id, line.event);
        } else if ('highest' in line) this.#rows(PUT_SEQUENCES, JSON.stringify(line.highest));
      }
    });
  }

  /** Throws if the service holds anything but its sample rows. */
  #assertPristine(): void {
    const samples = new Set(sampleRows().map(({ body }) => body));
    const first = `select body from records limit ${samples.size + 1}`;
    const isPristine = this.#rows<{ body: string }>(first).every(({ body }) => samples.has(body));
    if (isPristine && this.#eventCount() === 0) return;
    throw new Error('the service holds records; load into a deployment under another name');
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new Error('the storage is closed');
    this.#rows('select 1');
  }

  async close(): Promise<void> {
    await this.#counted;
    this.#isClosed = true;
  }

  #put({ puts, removals, sequences, at }: Omit<Changes, 'events'>): void {
    for (const { position, collection, id, body } of puts) {
      this.#rows(PUT_ROW, position, collection, id, body, at);
    }
    if (removals.length > 0) this.#rows(REMOVE_ROWS, JSON.stringify(removals));
    this.#rows(PUT_SEQUENCES, JSON.stringify(sequences));
  }

  #memoryDelta({ puts, removals }: Changes): number {
    const positions = [...puts.map(({ position }) => position), ...removals];
    const before = this.#rows<{ body: string }>(BODIES, JSON.stringify(positions));
    const sum = (rows: readonly { readonly body: string }[]) =>
      rows.reduce((bytes, { body }) => bytes + memoryOf(body), 0);
    return sum(puts) - sum(before);
  }

  #setMemory(memory: number): void {
    const { log, memoryMaxBytes } = this.#options;
    const threshold = WARNING_THRESHOLD * memoryMaxBytes;
    if (memory > threshold && this.#memory <= threshold) {
      const hint = 'move to Postgres by manage dump and manage load before growth is refused';
      log.warn('object_nearly_full', { memory, limit: memoryMaxBytes, hint });
    }
    this.#memory = memory;
  }

  #highest(): Sequences {
    return JSON.parse(this.#rows<{ sequences: string }>(LOAD_SEQUENCES)[0]?.sequences ?? '{}');
  }

  #eventCount(): number {
    return this.#rows<{ total: number }>(TOTAL_EVENTS)[0]?.total ?? 0;
  }

  #rows<Row extends SqlRow>(statement: string, ...bindings: (string | number)[]): Row[] {
    return rowsOf<Row>(this.#options.storage, statement, ...bindings);
  }
}

function newTotal(collection: CollectionName) {
  const createdAfter: [number, number, number] = [0, 0, 0];
  return { collection, records: 0, payloadBytes: 0, createdAfter, lastUpdatedAt: 0 };
}
