// A storage that lives in memory and is gone with it: for the tests of programs that embed the
// service. It keeps the promises of the ports but durability.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { offsetOf, type Page, type PageRequest } from '../../core/domain/listing.js';
import type {
  Changes,
  CommitResult,
  RecordStorage,
  StoredRow,
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
  #openings = 0;

  /** A storage on this storage, which outlives it. One that was opened before stores nothing more. */
  open(): RecordStorage & StoredViews {
    const opening = ++this.#openings;
    let isOpen = true;
    const refusal = () => {
      if (!isOpen) return new Error(CLOSED);
      return opening === this.#openings ? undefined : new Error(FENCED);
    };
    return {
      bodyMaxBytes: BODY_MAX_BYTES,
      load: () => this.#pages(),
      sequences: async () => ({ ...this.#highest }),
      commit: async (changes) => this.#commit(changes, refusal()),
      usage: async (times) => ({
        collections: this.#usage(times),
        auditEventCount: this.#events.length,
      }),
      auditEvents: async (page) => this.#auditEvents(page),
      async ping() {
        if (!isOpen) throw new Error(CLOSED);
      },
      async close() {
        isOpen = false;
      },
    };
  }

  /** Throws, and changes nothing, where two rows would have one id. */
  apply({ puts, removals, sequences, events, at }: Changes): void {
    const taken = new Map(puts.map((row) => [keyOf(row), row.position]));
    for (const row of puts) {
      const holder = this.#ids.get(keyOf(row)) ?? row.position;
      if (holder !== row.position || taken.get(keyOf(row)) !== row.position) {
        throw new Error(`${row.collection} has ${row.id} already`);
      }
    }
    for (const row of puts) {
      const createdAt = this.#remove(row.position)?.createdAt ?? at;
      this.#rows.set(row.position, { ...row, createdAt, updatedAt: at });
      this.#ids.set(keyOf(row), row.position);
    }
    for (const position of removals) this.#remove(position);
    for (const [name, number] of Object.entries(sequences) as [CollectionName, number][]) {
      this.#highest[name] = Math.max(this.#highest[name] ?? 0, number);
    }
    this.#events.push(...events);
  }

  #remove(position: number): KeptRow | undefined {
    const row = this.#rows.get(position);
    if (row !== undefined) this.#ids.delete(keyOf(row));
    this.#rows.delete(position);
    return row;
  }

  #commit(changes: Changes, refusal: Error | undefined): CommitResult {
    if (refusal !== undefined) return { status: 'unknown', error: refusal };
    try {
      this.apply(changes);
      return { status: 'committed' };
    } catch (error) {
      return { status: 'notStored', error };
    }
  }

  async *#pages(): AsyncGenerator<readonly StoredRow[]> {
    const rows = [...this.#rows.values()].sort((a, b) => a.position - b.position);
    for (let from = 0; from < rows.length; from += PAGE_MAX_ROWS) {
      const page = rows.slice(from, from + PAGE_MAX_ROWS);
      yield page.map(({ position, collection, id, body }) => ({ position, collection, id, body }));
    }
  }

  #usage(times: ThreeTimes): StoredUsage[] {
    const totals = new Map<CollectionName, StoredUsage>();
    for (const { collection, body, createdAt, updatedAt } of this.#rows.values()) {
      const total = totals.get(collection);
      const [first, second, third] = total?.createdAfter ?? [0, 0, 0];
      const after = (time: number) => Number(createdAt > time);
      totals.set(collection, {
        collection,
        records: (total?.records ?? 0) + 1,
        payloadBytes: (total?.payloadBytes ?? 0) + utf8Length(body),
        createdAfter: [first + after(times[0]), second + after(times[1]), third + after(times[2])],
        lastUpdatedAt: Math.max(total?.lastUpdatedAt ?? 0, updatedAt),
      });
    }
    return [...totals.values()];
  }

  #auditEvents({ page, pageSize }: PageRequest): Page {
    const offset = offsetOf({ page, pageSize });
    const items = this.#events
      .map((event, index) => JSON.stringify({ id: index + 1, ...event }))
      .reverse()
      .slice(offset, offset + pageSize);
    return { items, total: this.#events.length };
  }
}

function keyOf({ collection, id }: StoredRow): string {
  return `${collection}/${id}`;
}
