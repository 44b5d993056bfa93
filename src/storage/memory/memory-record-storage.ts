// A storage that lives in memory and is gone with it: for the tests of programs that embed the
// service. It keeps the promises of the ports except durability.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { offsetOf } from '../../core/domain/listing.js';
import type {
  Changes,
  RecordStorage,
  StoredRow,
  StoredUsage,
  StoredViews,
  ThreeTimes,
} from '../../core/records/record-storage.js';
import { utf8Length } from '../../core/records/utf8-length.js';

interface KeptRow {
  readonly row: StoredRow;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export class MemoryStorage {
  /** By position. */
  readonly #rows = new Map<number, KeptRow>();
  /** Positions by collection and id. */
  readonly #positions = new Map<string, number>();
  readonly #highest: Partial<Record<CollectionName, number>> = {};
  readonly #events: AuditEvent[] = [];
  #openings = 0;

  /** A storage on this storage, which outlives it. One that was opened before stores nothing more. */
  open(): RecordStorage & StoredViews {
    const opening = ++this.#openings;
    let isOpen = true;
    const assertOpen = () => {
      if (!isOpen) throw new Error('the storage is closed; open another one');
    };
    return {
      load: () => this.#pages(),
      sequences: async () => ({ ...this.#highest }),
      commit: async (changes) => {
        let status: 'unknown' | 'notStored' = 'unknown';
        try {
          assertOpen();
          if (opening !== this.#openings) throw new Error('another storage was opened since');
          status = 'notStored';
          this.apply(changes);
          return { status: 'committed' };
        } catch (error) {
          return { status, error };
        }
      },
      usage: async (times) => ({
        collections: COLLECTION_NAMES.flatMap((name) => this.#usage(name, times)),
        auditEventCount: this.#events.length,
      }),
      ping: async () => assertOpen(),
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

  /** Throws, and changes nothing, if two rows would have one id. */
  apply({ puts, removals, sequences, events, at }: Changes): void {
    const taken = new Map(puts.map((row) => [keyOf(row), row.position]));
    for (const row of puts) {
      const holders = [this.#positions.get(keyOf(row)), taken.get(keyOf(row))];
      if (holders.every((holder = row.position) => holder === row.position)) continue;
      throw new Error(`${row.collection} has ${row.id} already`);
    }
    for (const row of puts) {
      const createdAt = this.#remove(row.position)?.createdAt ?? at;
      this.#rows.set(row.position, { row, createdAt, updatedAt: at });
      this.#positions.set(keyOf(row), row.position);
    }
    for (const position of removals) this.#remove(position);
    for (const [name, number] of Object.entries(sequences) as [CollectionName, number][]) {
      this.#highest[name] = Math.max(this.#highest[name] ?? 0, number);
    }
    this.#events.push(...events);
  }

  #remove(position: number): KeptRow | undefined {
    const kept = this.#rows.get(position);
    if (kept !== undefined) this.#positions.delete(keyOf(kept.row));
    this.#rows.delete(position);
    return kept;
  }

  async *#pages(): AsyncGenerator<readonly StoredRow[]> {
    const rows = [...this.#rows.values()].map(({ row }) => row);
    if (rows.length > 0) yield rows.sort((a, b) => a.position - b.position);
  }

  /** Empty if the collection has no rows. */
  #usage(collection: CollectionName, [first, second, third]: ThreeTimes): StoredUsage[] {
    const kept = [...this.#rows.values()].filter(({ row }) => row.collection === collection);
    if (kept.length === 0) return [];
    const after = (time: number) => kept.filter(({ createdAt }) => createdAt > time).length;
    const payloadBytes = kept.reduce((sum, { row }) => sum + utf8Length(row.body), 0);
    const lastUpdatedAt = kept.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0);
    const createdAfter = [after(first), after(second), after(third)] as const;
    return [{ collection, records: kept.length, payloadBytes, createdAfter, lastUpdatedAt }];
  }
}

function keyOf({ collection, id }: StoredRow): string {
  return `${collection}/${id}`;
}
