// A storage in memory, for the tests of programs that embed the service. It fulfils the ports' contract,
// except durability.

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
import { utf8Length } from '../../core/utf8-length.js';

type TimedRow = StoredRow & Readonly<Record<'createdAt' | 'updatedAt', number>>;

export class MemoryStorage {
  /** Keyed by position. */
  readonly #rows = new Map<number, TimedRow>();
  /** Positions by collection and id. */
  readonly #positions = new Map<string, number>();
  readonly #highest: Partial<Record<CollectionName, number>> = {};
  readonly #events: string[] = [];
  #openings = 0;

  /** A storage over this object's rows, which outlive it. It takes commits until it is closed or another one is opened. */
  open(): RecordStorage & StoredViews {
    const opening = ++this.#openings;
    const isOpen = () => opening === this.#openings;
    const closed = new Error('the storage was closed, or opened a second time; reopen it');
    return {
      load: () => this.#pages(),
      sequences: async () => ({ ...this.#highest }),
      commit: async (changes) => {
        if (!isOpen()) return { status: 'unknown', error: closed };
        try {
          this.apply(changes);
          return { status: 'committed' };
        } catch (error) {
          return { status: 'notStored', error };
        }
      },
      usage: async (times) => ({
        collections: COLLECTION_NAMES.flatMap((name) => this.#usage(name, times)),
        auditEventCount: this.#events.length,
      }),
      ping: () => (isOpen() ? Promise.resolve() : Promise.reject(closed)),
      auditEvents: async (page) => {
        const first = offsetOf(page);
        const items = this.#events.toReversed().slice(first, first + page.pageSize);
        return { items, total: this.#events.length };
      },
      close: async () => {
        if (isOpen()) this.#openings++;
      },
    };
  }

  /** Throws, and changes nothing, if two rows would have the same id. */
  apply({ puts, removals, sequences, events, at }: Changes): void {
    const taken = new Map(puts.map((row) => [keyOf(row), row.position]));
    for (const row of puts) {
      const holders = [this.#positions.get(keyOf(row)), taken.get(keyOf(row))];
      if (holders.every((holder = row.position) => holder === row.position)) continue;
      throw new Error(`${row.collection} has ${row.id} already`);
    }
    for (const row of puts) {
      const createdAt = this.#remove(row.position)?.createdAt ?? at;
      this.#rows.set(row.position, { ...row, createdAt, updatedAt: at });
      this.#positions.set(keyOf(row), row.position);
    }
    for (const position of removals) this.#remove(position);
    for (const [name, number] of Object.entries(sequences) as [CollectionName, number][]) {
      this.#highest[name] = Math.max(this.#highest[name] ?? 0, number);
    }
    for (const event of events) {
      this.#events.push(JSON.stringify({ id: this.#events.length + 1, ...event }));
    }
  }

  #remove(position: number): TimedRow | undefined {
    const removed = this.#rows.get(position);
    if (removed !== undefined) this.#positions.delete(keyOf(removed));
    this.#rows.delete(position);
    return removed;
  }

  async *#pages(): AsyncGenerator<readonly StoredRow[]> {
    const rows = [...this.#rows.values()];
    if (rows.length > 0) yield rows.sort((a, b) => a.position - b.position);
  }

  /** Empty if the collection has no rows. */
  #usage(collection: CollectionName, times: ThreeTimes): StoredUsage[] {
    const rows = [...this.#rows.values()].filter((row) => row.collection === collection);
    if (rows.length === 0) return [];
    const after = (time: number) => rows.filter(({ createdAt }) => createdAt > time).length;
    const payloadBytes = rows.reduce((sum, { body }) => sum + utf8Length(body), 0);
    const lastUpdatedAt = rows.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0);
    const createdAfter = [after(times[0]), after(times[1]), after(times[2])] as const;
    return [{ collection, records: rows.length, payloadBytes, createdAfter, lastUpdatedAt }];
  }
}

function keyOf({ collection, id }: StoredRow): string {
  return `${collection}/${id}`;
}
