// The storage over a durable object's own SQLite database. A commit is one
// synchronous transaction. The platform holds back every answer of the object until
// the commit is durable (the output gate), so nothing is acknowledged before.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type {
  Changes,
  CommitResult,
  RecordStorage,
  Sequences,
  StoredRow,
} from '../../core/records/record-storage.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import { migrate, type ObjectStorage, SCHEMA_STEPS, schemaVersion } from './object-storage.js';

const PAGE_ROWS = 1_000;
/** A row of the platform has at most 2 MB; the difference is for the row's other columns. */
const BODY_MAX_BYTES = 1_990_000;

/** `?1`: positions, as a JSON array. */
const MEASURE_ROWS = `
  select collection, octet_length(body) as bytes, created_at, updated_at
    from records where position in (select value from json_each(?1))`;

/** One statement for each row: one JSON parameter for all may not be larger than a row. */
export const PUT_ROW = `
  insert into records (position, collection, id, body, created_at, updated_at)
  values (?1, ?2, ?3, ?4, ?5, ?6)
  on conflict (position) do update set body = excluded.body, updated_at = excluded.updated_at`;

const REMOVE_ROWS = 'delete from records where position in (select value from json_each(?1))';

/** The next id follows the highest one. Events are never removed, so no id is given twice. */
const APPEND_EVENT = `
  insert into audit_events (id, event, epoch)
  values ((select coalesce(max(id), 0) + 1 from audit_events), ?1, ?2)`;

/** Size and times of a row. Times: milliseconds since 1970, UTC. */
export type RowMeasure = {
  readonly collection: string;
  readonly bytes: number;
  readonly created_at: number;
  readonly updated_at: number;
};

export interface ObjectRecordStorageOptions {
  readonly storage: ObjectStorage;
  /**
   * A new one for each life of the object. After a restore, numbers of audit events are used
   * again, so an event is identified by its number together with this.
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
  /** After every commit, which nothing can undo any more. */
  committed(effect: CommitEffect): void;
}

/** With events of a restore, too, which is not a write of a record. */
export interface ObjectChanges extends Omit<Changes, 'events'> {
  readonly events: readonly AuditEvent[];
}

/** The rows of a commit, before and after it. */
export interface CommitEffect {
  readonly before: readonly RowMeasure[];
  readonly after: readonly RowMeasure[];
}

export class ObjectRecordStorage implements RecordStorage {
  readonly bodyMaxBytes = BODY_MAX_BYTES;
  readonly #options: ObjectRecordStorageOptions;
  readonly #sql: ObjectStorage['sql'];
  /** Whether anything was ever written to this object. */
  hasTables = false;
  #isClosed = false;

  constructor(options: ObjectRecordStorageOptions) {
    this.#options = options;
    this.#sql = options.storage.sql;
    this.look();
  }

  /** Reads what the database holds, at the start and after its deletion. Throws if a later release wrote it. */
  look(): void {
    const { storage } = this.#options;
    const version = schemaVersion(storage, 'records');
    this.hasTables = version > 0;
    if (this.hasTables) storage.transactionSync(() => migrate(storage, SCHEMA_STEPS, version));
  }

  async *load(): AsyncIterable<readonly StoredRow[]> {
    if (!this.hasTables) return;
    let page: StoredRow[] = [];
    const rows = 'select position, collection, id, body from records order by position';
    for (const row of this.#sql.exec(rows)) {
      if (page.push(row as unknown as StoredRow) < PAGE_ROWS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  async sequences(): Promise<Sequences> {
    if (!this.hasTables) return {};
    const [row] = this.#sql.exec<{ sequences: string }>(LOAD_SEQUENCES);
    return JSON.parse(row?.sequences ?? '{}');
  }

  async commit(changes: ObjectChanges): Promise<CommitResult> {
    if (this.#isClosed) return { status: 'unknown', error: new Error('the storage is closed') };
    let effect: CommitEffect;
    try {
      effect = this.#store(changes);
    } catch (error) {
      // A transaction that throws is rolled back as a whole.
      if (!(error instanceof EventsRefused)) return { status: 'notStored', error };
      const result = await this.commit({ ...changes, events: [] });
      return result.status === 'committed' ? { ...result, auditError: error.cause } : result;
    }
    this.hasTables = true;
    // Outside of the block above: a failure here isn't a failure of the commit.
    this.#options.follower?.committed(effect);
    return { status: 'committed' };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #store({ puts, removals, sequences, events, at }: ObjectChanges): CommitEffect {
    const { storage, follower, epoch } = this.#options;
    return storage.transactionSync(() => {
      if (!this.hasTables) {
        migrate(storage, SCHEMA_STEPS, 0);
        follower?.create();
      }
      const positions = JSON.stringify([...puts.map(({ position }) => position), ...removals]);
      const measured = () => [...this.#sql.exec<RowMeasure>(MEASURE_ROWS, positions)];
      const before = measured();
      for (const { position, collection, id, body } of puts) {
        this.#sql.exec(PUT_ROW, position, collection, id, body, at, at);
      }
      this.#sql.exec(REMOVE_ROWS, JSON.stringify(removals));
      this.#sql.exec(PUT_SEQUENCES, JSON.stringify(sequences));
      try {
        for (const event of events) this.#sql.exec(APPEND_EVENT, JSON.stringify(event), epoch);
      } catch (cause) {
        // "If the audit write fails …, the change stands."
        throw new EventsRefused('the audit events cannot be stored', { cause });
      }
      follower?.stage();
      return { before, after: measured() };
    });
  }
}

class EventsRefused extends Error {}
