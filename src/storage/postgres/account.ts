// One account's records, answered by Postgres. A write is one statement, and can be run again
// where its connection was lost: a create knows its id before, a PATCH names the version it changes.

import { type AuditEvent, changedNames, loggedEvent } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import {
  FailureError,
  failed,
  failureIn,
  type Outcome,
  succeeded,
} from '../../core/domain/errors.js';
import { formatId } from '../../core/domain/identifier.js';
import { type ListQuery, offsetOf, type RowsPage } from '../../core/domain/listing.js';
import { type ChangedRecord, identified } from '../../core/domain/record.js';
import { caseFolded } from '../../core/domain/search.js';
import type { Log } from '../../core/log.js';
import { type AccountLimits, quotaFailure } from '../../core/records/account-limits.js';
import type { AccountProfile, AccountRecords, Sender } from '../../core/records/record-service.js';
import type { RecordWork } from '../../core/records/record-work.js';
import { notFound, storageFailed } from '../../core/records/writes.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { type Counted, pageOf, paymentsOf, profileOf } from './account-views.js';
import { foldedColumn, statusColumn } from './columns.js';
import { type Database, unavailable } from './database.js';
import type { Numbers } from './numbers.js';
import { AlreadyStored, type Statement, Unknown } from './statement.js';
import * as sql from './statements.js';
import { toStored } from './stored-text.js';
import type { Turns } from './turns.js';

/** Far below Postgres' limit of 1 GB for a row and a statement. */
const BODY_MAX_BYTES = 64 * 1_048_576;
/** Another change of the record came between so often: somebody else's turn. */
const CHANGES_BETWEEN_MAX = 50;
const DISCONNECTED = failed('BAD_REQUEST', 'the connection was closed before the answer was made');

export interface AccountContext {
  readonly database: Database;
  readonly numbers: Numbers;
  readonly turns: Turns;
  readonly work: RecordWork;
  readonly limits: AccountLimits;
  readonly log: Log;
  readonly isLogged: (event: AuditEvent) => boolean;
  readonly events: ServiceEvents;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

type Action = AuditEvent['action'];
type Written = { readonly rows: readonly object[]; readonly wasLost: boolean };

export class PostgresAccount implements AccountRecords {
  readonly #context: AccountContext;
  readonly #owner: string;
  readonly #key: string;
  readonly #sender: Sender | undefined;

  constructor(context: AccountContext, owner: string, sender?: Sender) {
    this.#context = context;
    this.#owner = owner;
    this.#key = toStored(owner);
    this.#sender = sender;
  }

  async list(collection: CollectionName, query: ListQuery): Promise<RowsPage> {
    const { database } = this.#context;
    const page = [this.#key, collection, query.pageSize, offsetOf(query)];
    const status = query.status === '' ? null : statusColumn(query.status);
    // JSON spells U+0000, and Postgres takes none.
    if (query.q.includes('\0')) return { items: [], total: 0 };
    if (query.q !== '')
      return pageOf(await database.readSlowly(sql.SEARCH, [...page, status, caseFolded(query.q)]));
    if (status !== null) return pageOf(await database.read(sql.LIST_OF_STATUS, [...page, status]));
    return pageOf(await database.read(sql.LIST, page));
  }

  async read(collection: CollectionName, id: string): Promise<Outcome<string>> {
    const found = await this.#find(collection, id);
    return found === undefined ? notFound(collection, id) : succeeded(found.body);
  }

  async create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    const { work, numbers, limits, clock } = this.#context;
    const made = await work.newRecord(collection, body, this.#owner);
    if (!made.ok) return made;
    return this.#answered(async () => {
      const number = await numbers.next(collection);
      const id = formatId(collection, number);
      const text = identified(collection, id, this.#owner, made.value.text);
      const bytes = Buffer.byteLength(text);
      if (bytes > BODY_MAX_BYTES) return tooLarge(bytes);
      const written = await this.#write(
        sql.CREATE,
        'create',
        collection,
        id,
        made.value,
        (event) => [
          this.#key,
          collection,
          id,
          number,
          bytes,
          clock(),
          statusColumn(made.value.status),
          text,
          foldedColumn(text),
          event,
          limits.maxRecords,
          limits.maxBytes,
        ],
      );
      return written.rows.length > 0 ? succeeded(text) : this.#quotaFailure({ records: 1, bytes });
    });
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    const record = `${collection}/${id}/${this.#key}`;
    return this.#context.turns.take(record, () => this.#update(collection, id, body));
  }

  async #update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    const { work, limits, clock } = this.#context;
    return this.#answered(async () => {
      let isOpen = false;
      for (let tries = 0; tries < CHANGES_BETWEEN_MAX; tries++) {
        const before = await this.#find(collection, id);
        const changed = await work.patchedRecord(
          collection,
          before?.body ?? '{}',
          body,
          this.#owner,
        );
        if (!changed.ok && changed.failure.code === 'INVALID_JSON') return changed;
        if (before === undefined)
          return isOpen ? storageFailed('unknown') : notFound(collection, id);
        if (!changed.ok) return changed;
        const { text, status } = changed.value;
        // What an earlier try of this PATCH stored, merging it again leaves as it is.
        if (isOpen && text === before.body) return succeeded(text);
        if (isOpen) return storageFailed('unknown');
        const bytes = Buffer.byteLength(text);
        if (bytes > BODY_MAX_BYTES) return tooLarge(bytes);
        if (limits.maxBytes > 0 && bytes > before.bytes) {
          const refused = quotaFailure(limits, await this.#size(), {
            records: 0,
            bytes: bytes - before.bytes,
          });
          if (refused !== undefined) return refused;
        }
        const written = await this.#write(
          sql.UPDATE,
          'update',
          collection,
          id,
          changed.value,
          (event) => [
            this.#key,
            collection,
            toStored(id),
            before.version,
            bytes,
            bytes - before.bytes,
            clock(),
            statusColumn(status),
            text,
            foldedColumn(text),
            event,
          ],
        );
        if (written.rows.length > 0) return succeeded(text);
        isOpen = written.wasLost;
      }
      throw unavailable();
    });
  }

  async delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    const { database } = this.#context;
    return this.#answered(async () => {
      const key = [this.#key, collection];
      const { rows, wasLost } = await this.#write(
        sql.DELETE,
        'delete',
        collection,
        id,
        undefined,
        (event) => [...key, toStored(id), event],
      );
      const [gone] = rows as readonly { records: string | null }[];
      // After a lost connection nobody knows who deleted it: this request, or another one before it.
      if (gone === undefined) return wasLost ? storageFailed('unknown') : notFound(collection, id);
      if (gone.records === '0') await database.write(sql.FORGET, key);
      return succeeded(id);
    });
  }

  async #find(collection: CollectionName, id: string) {
    type Row = { body: string; version: number; bytes: number };
    const [row] = await this.#context.database.read<Row>(sql.FIND, [
      this.#key,
      collection,
      toStored(id),
    ]);
    return row;
  }

  async #size() {
    const [row] = await this.#context.database.read<Counted & { bytes: string }>(sql.SIZE, [
      this.#key,
    ]);
    return { records: Number(row?.records), bytes: Number(row?.bytes) };
  }

  async #quotaFailure(growth: { records: number; bytes: number }): Promise<Outcome<string>> {
    return (
      quotaFailure(this.#context.limits, await this.#size(), growth) ?? storageFailed('notStored')
    );
  }

  payments(): Promise<RowsPage> {
    return paymentsOf(this.#context.database, this.#key);
  }

  profile(): Promise<Outcome<AccountProfile>> {
    return profileOf(this.#context.database, this.#owner, this.#key);
  }

  /** With the audit event in the same transaction. "If the audit write fails …, the change stands." */
  async #write(
    statement: Statement,
    action: Action,
    collection: CollectionName,
    id: string,
    changed: ChangedRecord | undefined,
    values: (event: string | null) => readonly unknown[],
  ): Promise<Written> {
    const { database, limits, log, isLogged, events, clock } = this.#context;
    const isAlone = limits.maxRecords > 0 || limits.maxBytes > 0;
    if (this.#sender?.isDisconnected()) throw new FailureError(DISCONNECTED.failure);
    const { actor, run } = this.#sender ?? {};
    if (actor === undefined) return stored(database.write(statement, values(null), isAlone));
    const event: AuditEvent = {
      actor,
      action,
      resource: collection,
      record_id: id,
      owner_sub: this.#owner,
      timestamp: new Date(clock()).toISOString(),
      ...changedNames(changed?.changed ?? []),
      ...(run !== undefined && { run }),
    };
    let written: Written;
    try {
      written = await stored(database.write(statement, values(JSON.stringify(event)), true));
    } catch (error) {
      if (error instanceof Unknown || failureIn(error) !== undefined) throw error;
      written = await stored(database.write(statement, values(null), true));
      events.auditFailed();
      log.error('admin_audit_write_failed', error, { events: 1, records: `${action} ${id}` });
      return written;
    }
    if (written.rows.length > 0 && isLogged(event)) log.info('admin_audit', loggedEvent(event));
    return written;
  }

  /** The outcome of a write, also where Postgres refused it or nobody knows. */
  async #answered(act: () => Promise<Outcome<string>>): Promise<Outcome<string>> {
    const { events, log } = this.#context;
    try {
      return await act();
    } catch (error) {
      if (failureIn(error) !== undefined) throw error;
      const status = error instanceof Unknown ? 'unknown' : 'notStored';
      events.commitFinished(status, error);
      log.error('storage_commit_failed', error, { stored: status });
      return storageFailed(status);
    }
  }
}

/** An earlier try of a create, whose connection was lost, has stored it. */
async function stored(writing: Promise<Written>): Promise<Written> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof AlreadyStored) return { rows: [{}], wasLost: true };
    throw error;
  }
}

function tooLarge(bytes: number): Outcome<string> {
  return failed(
    'VALIDATION_FAILED',
    `the record would take ${bytes} bytes; storage here takes ${BODY_MAX_BYTES}, spread it over several records`,
  );
}
