// A storage that lives in memory and is gone with it: for the tests of programs that embed the
// service. It keeps the promises of the ports except durability.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { offsetOf } from '../../core/domain/listing.js';
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

const PAGE_MAX_ROWS = 1_000;
const CLOSED = 'the storage is closed; open another one';
const FENCED = 'another storage was opened on this storage; this one stores nothing more';

interface KeptRow {
  readonly row: StoredRow;
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
    const expectOpen = () => {
      if (!isOpen) throw new Error(CLOSED);
    };
    return {
      load: () => this.#pages(),
      sequences: async () => ({ ...this.#highest }),
      commit: async (changes): Promise<CommitResult> => {
        let status: 'unknown' | 'notStored' = 'unknown';
        try {
          expectOpen();
          if (opening !== this.#openings) throw new Error(FENCED);
          status = 'notStored';
          this.apply(changes);
          return { status: 'committed' };
        } catch (error) {
          return { status, error };
        }
      },
      usage: async (times) => ({
        collections: this.#usage(times),
        auditEventCount: this.#events.length,
      }),
      async ping() {
        expectOpen();
      },
      auditEvents: async (page) => {
        const newest = this.#events.map((event, i) => JSON.stringify({ id: i + 1, ...event }));
        const first = offsetOf(page);
        const items = newest.reverse().slice(first, first + page.pageSize);
        return { items, total: newest.length };
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
      this.#rows.set(row.position, { row, createdAt, updatedAt: at });
      this.#ids.set(keyOf(row), row.position);
    }
    for (const position of removals) this.#remove(position);
    for (const [name, number] of Object.entries(sequences) as [CollectionName, number][]) {
      this.#highest[name] = Math.max(this.#highest[name] ?? 0, number);
    }
    this.#events.push(...events);
  }

  #remove(position: number): KeptRow | undefined {
    const kept = this.#rows.get(position);
    if (kept !== undefined) this.#ids.delete(keyOf(kept.row));
    this.#rows.delete(position);
    return kept;
  }

  async *#pages(): AsyncGenerator<readonly StoredRow[]> {
    const rows = [...this.#rows.values()].map(({ row }) => row);
    rows.sort((a, b) => a.position - b.position);
    for (let from = 0; from < rows.length; from += PAGE_MAX_ROWS) {
      yield rows.slice(from, from + PAGE_MAX_ROWS);
    }
  }

  #usage([first, second, third]: ThreeTimes): StoredUsage[] {
    return COLLECTION_NAMES.map((collection) => {
      const kept = [...this.#rows.values()].filter(({ row }) => row.collection === collection);
      const after = (time: number) => kept.filter(({ createdAt }) => createdAt > time).length;
      return {
        collection,
        records: kept.length,
        payloadBytes: kept.reduce((sum, { row }) => sum + utf8Length(row.body), 0),
        createdAfter: [after(first), after(second), after(third)] as const,
        lastUpdatedAt: kept.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0),
      };
    }).filter(({ records }) => records > 0);
  }
}

function keyOf({ collection, id }: StoredRow): string {
  return `${collection}/${id}`;
}
