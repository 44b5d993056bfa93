// The storage over a durable object's own SQLite database. A commit is one
// synchronous transaction. The platform holds back every answer of the object until
// the commit is durable (the output gate), so nothing is acknowledged before.

import type { AuditEvent, RestoreEvent } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type {
  Changes,
  CommitResult,
  RecordStorage,
  Sequences,
  StoredRow,
} from '../../core/records/record-storage.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import {
  APPEND_EVENT,
  FIRST_TABLE,
  LOAD_ROWS,
  MEASURE_ROWS,
  OBJECT_BODY_MAX_BYTES,
  PUT_ROW,
  REMOVE_ROW,
  SCHEMA_STEPS,
} from './object-schema.js';
import type { ObjectStorage, SqlRow } from './object-storage.js';
import { migrate, schemaVersion } from './schema-version.js';

const PAGE_ROWS = 1_000;

/** Size and times of a row. Times: milliseconds since 1970, UTC. */
export interface RowMeasure extends SqlRow {
  readonly collection: string;
  readonly bytes: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface ObjectRecordStorageOptions {
  readonly storage: ObjectStorage;
  /**
   * Another one for each life of the object. A restore takes back the numbers of audit
   * events, so an event is known by its number together with this.
   */
  readonly epoch: string;
  /** Default: none. */
  readonly follower?: CommitFollower;
}

/** What an object stores along with its records. */
export interface CommitFollower {
  /** In the first commit's transaction, before its rows. */
  create(): void;
  /** In every commit's transaction, after its rows. What it writes becomes durable with them or not at all. */
  stage(): void;
  /** After every commit: nothing can take it back any more. */
  committed(effect: CommitEffect): void;
}

/** A restore is no write of a record, so the port's changes have no event of it. */
export interface ObjectChanges extends Omit<Changes, 'events'> {
  readonly events: readonly (AuditEvent | RestoreEvent)[];
}

/** The rows of a commit, before and after it. */
export interface CommitEffect {
  readonly before: readonly RowMeasure[];
  readonly after: readonly RowMeasure[];
}

export class ObjectRecordStorage implements RecordStorage {
  readonly bodyMaxBytes = OBJECT_BODY_MAX_BYTES;
  readonly #options: ObjectRecordStorageOptions;
  readonly #sql: ObjectStorage['sql'];
  #hasTables = false;
  #closed = false;

  constructor(options: ObjectRecordStorageOptions) {
    this.#options = options;
    this.#sql = options.storage.sql;
    this.look();
  }

  /** Learns what the database holds: at the start, and after it was deleted. Throws where it is of a later release. */
  look(): void {
    const { storage } = this.#options;
    const version = schemaVersion(storage, FIRST_TABLE);
    this.#hasTables = version > 0;
    if (!this.#hasTables) return;
    storage.transactionSync(() => migrate(storage, SCHEMA_STEPS, version));
  }

  /** Whether anything was ever written to this object. */
  get hasTables(): boolean {
    return this.#hasTables;
  }

  async *load(): AsyncIterable<readonly StoredRow[]> {
    if (!this.#hasTables) return;
    let page: StoredRow[] = [];
    for (const row of this.#sql.exec<SelectedRow>(LOAD_ROWS)) {
      page.push({ ...row, collection: row.collection as CollectionName });
      if (page.length < PAGE_ROWS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  async sequences(): Promise<Sequences> {
    if (!this.#hasTables) return {};
    const [row] = this.#sql.exec<{ sequences: string }>(LOAD_SEQUENCES);
    return JSON.parse(row?.sequences ?? '{}');
  }

  async commit(changes: ObjectChanges): Promise<CommitResult> {
    if (this.#closed) return { status: 'unknown', error: new Error('the storage is closed') };
    let effect: CommitEffect;
    try {
      effect = this.#store(changes);
    } catch (error) {
      // A transaction that throws is rolled back as a whole.
      if (!(error instanceof EventsRefused)) return { status: 'notStored', error };
      const result = await this.commit({ ...changes, events: [] });
      return result.status === 'committed' ? { ...result, auditError: error.cause } : result;
    }
    // Outside of the block above: a failure here is no failure of the commit.
    this.#options.follower?.committed(effect);
    return { status: 'committed' };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #store(changes: ObjectChanges): CommitEffect {
    const { storage, follower } = this.#options;
    const effect = storage.transactionSync(() => {
      if (!this.#hasTables) {
        migrate(storage, SCHEMA_STEPS, 0);
        follower?.create();
      }
      const { puts, removals, at } = changes;
      const positions = JSON.stringify([...puts.map(({ position }) => position), ...removals]);
      const measured = () => [...this.#sql.exec<RowMeasure>(MEASURE_ROWS, positions)];
      const before = measured();
      for (const { position, collection, id, body } of puts) {
        this.#sql.exec(PUT_ROW, position, collection, id, body, at);
      }
      for (const position of removals) this.#sql.exec(REMOVE_ROW, position);
      this.#sql.exec(PUT_SEQUENCES, JSON.stringify(changes.sequences));
      this.#append(changes.events);
      follower?.stage();
      return { before, after: measured() };
    });
    this.#hasTables = true;
    return effect;
  }

  /** "If the audit write fails …, the change stands": so a failure of the events gets an error of its own. */
  #append(events: ObjectChanges['events']): void {
    try {
      for (const event of events) {
        this.#sql.exec(APPEND_EVENT, JSON.stringify(event), this.#options.epoch);
      }
    } catch (error) {
      throw new EventsRefused('the audit events cannot be stored', { cause: error });
    }
  }
}

class EventsRefused extends Error {}

interface SelectedRow extends SqlRow {
  readonly position: number;
  readonly collection: string;
  readonly id: string;
  readonly body: string;
}
