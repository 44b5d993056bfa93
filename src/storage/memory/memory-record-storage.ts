// A storage that lives in memory and is gone with it: for the tests of programs
// that embed the service. It keeps the promises of the ports but durability.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { offsetOf, type Page, type PageRequest } from '../../core/domain/listing.js';
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
import { utf8Length } from '../../core/records/utf8-length.js';

/** As in a file, so that a record that is too large for one is too large here. */
const BODY_MAX_BYTES = 1_000_000_000;
const PAGE_MAX_ROWS = 1_000;
const CLOSED = 'the storage is closed; open another one';
const FENCED = 'another storage was opened on this storage; this one stores nothing more';

interface KeptRow extends StoredRow {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What is stored: by position, by collection and id, and what was audited. */
export class MemoryStorage {
  readonly #rows = new Map<number, KeptRow>();
  /** Positions by collection and id. */
  readonly #ids = new Map<string, number>();
  readonly #highest: Partial<Record<CollectionName, number>> = {};
  readonly #events: AuditEvent[] = [];
  #latest: MemoryRecordStorage | undefined;

  /** A storage on this storage, which outlives it. One that was opened before stores nothing more. */
  open(): RecordStorage & StoredViews {
    this.#latest?.fence();
    this.#latest = new MemoryRecordStorage(this);
    return this.#latest;
  }

  rows(): KeptRow[] {
    return [...this.#rows.values()].sort((a, b) => a.position - b.position);
  }

  get sequences(): Sequences {
    return { ...this.#highest };
  }

  get events(): readonly AuditEvent[] {
    return this.#events;
  }

  /** Throws, and changes nothing, where two rows would have one id. */
  apply({ puts, removals, sequences, events, at }: Changes): void {
    const taken = new Map(puts.map((row) => [keyOf(row), row.position]));
    for (const row of puts) {
      const holder = this.#ids.get(keyOf(row));
      const isTaken = holder !== undefined && holder !== row.position;
      if (isTaken || taken.get(keyOf(row)) !== row.position) {
        throw new Error(`${row.collection} has ${row.id} already`);
      }
    }
    for (const row of puts) this.#put(row, at);
    for (const position of removals) this.#remove(position);
    for (const [name, number] of Object.entries(sequences) as [CollectionName, number][]) {
      this.#highest[name] = Math.max(this.#highest[name] ?? 0, number);
    }
    this.#events.push(...events);
  }

  #put(row: StoredRow, at: number): void {
    const createdAt = this.#rows.get(row.position)?.createdAt ?? at;
    this.#remove(row.position);
    this.#rows.set(row.position, { ...row, createdAt, updatedAt: at });
    this.#ids.set(keyOf(row), row.position);
  }

  #remove(position: number): void {
    const row = this.#rows.get(position);
    if (row === undefined) return;
    this.#rows.delete(position);
    this.#ids.delete(keyOf(row));
  }
}

class MemoryRecordStorage implements RecordStorage, StoredViews {
  readonly bodyMaxBytes = BODY_MAX_BYTES;
  readonly #storage: MemoryStorage;
  #isClosed = false;
  #isFenced = false;

  constructor(storage: MemoryStorage) {
    this.#storage = storage;
  }

  async *load(): AsyncIterable<readonly StoredRow[]> {
    const rows = this.#storage.rows();
    for (let from = 0; from < rows.length; from += PAGE_MAX_ROWS) {
      const page = rows.slice(from, from + PAGE_MAX_ROWS);
      yield page.map(({ position, collection, id, body }) => ({ position, collection, id, body }));
    }
  }

  async sequences(): Promise<Sequences> {
    return this.#storage.sequences;
  }

  async commit(changes: Changes): Promise<CommitResult> {
    if (this.#isClosed) return { status: 'unknown', error: new Error(CLOSED) };
    if (this.#isFenced) return { status: 'unknown', error: new Error(FENCED) };
    try {
      this.#storage.apply(changes);
      return { status: 'committed' };
    } catch (error) {
      return { status: 'notStored', error };
    }
  }

  async usage(times: ThreeTimes): Promise<StoredTotals> {
    const collections = COLLECTION_NAMES.flatMap((name) => {
      const rows = this.#storage.rows().filter(({ collection }) => collection === name);
      return rows.length === 0 ? [] : [usageOf(name, rows, times)];
    });
    return { collections, auditEventCount: this.#storage.events.length };
  }

  async auditEvents(page: PageRequest): Promise<Page> {
    const { events } = this.#storage;
    const offset = offsetOf(page);
    const items = events
      .map((event, index) => JSON.stringify({ id: index + 1, ...event }))
      .reverse()
      .slice(offset, offset + page.pageSize);
    return { items, total: events.length };
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new Error(CLOSED);
  }

  fence(): void {
    this.#isFenced = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }
}

function usageOf(
  collection: CollectionName,
  rows: readonly KeptRow[],
  [first, second, third]: ThreeTimes,
): StoredUsage {
  const sumOf = (of: (row: KeptRow) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const after = (time: number) => rows.filter(({ createdAt }) => createdAt > time).length;
  return {
    collection,
    records: rows.length,
    payloadBytes: sumOf(({ body }) => utf8Length(body)),
    createdAfter: [after(first), after(second), after(third)],
    lastUpdatedAt: rows.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0),
  };
}

function keyOf({ collection, id }: StoredRow): string {
  return `${collection}/${id}`;
}
