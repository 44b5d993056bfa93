// One account's records, answered by Postgres. A write is one statement, and can be run again when
// its connection was lost: a create knows its id before, a PATCH names the version it changes.

import { type AuditEvent, loggedEvent } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { FailureError, failureIn, type Outcome, succeeded } from '../../core/domain/errors.js';
import { formatId } from '../../core/domain/identifier.js';
import { type ChangedRecord, identified } from '../../core/domain/record.js';
import { quotaFailure } from '../../core/records/account-limits.js';
import type { AccountRecords } from '../../core/records/record-service.js';
import { auditEvent, notFound, storageFailed, tooLarge } from '../../core/records/writes.js';
import { AccountViews } from './account-views.js';
import { foldedColumn, statusColumn, toStored } from './columns.js';
import { attempts } from './database.js';
import type { Attempts } from './gathering.js';
import { sequenceName } from './schema.js';
import * as sql from './statements.js';

/** Far below Postgres' limit of 1 GB for a row and a statement. */
const BODY_MAX_BYTES = 64 * 1_048_576;

const GONE = {
  code: 'BAD_REQUEST',
  message: 'the connection was closed before the change was made',
} as const;

/** A request to change a record. */
interface Change extends Attempts {
  readonly kind: 'create' | 'update' | 'delete';
  readonly collection: CollectionName;
  id: string;
}

interface Stored {
  readonly body: string;
  readonly version: number;
  readonly bytes: number;
}

/** `n`: null if the account is as large as it may be; `records`, `bytes`: of the account, where it has limits. */
interface Written {
  readonly n?: number | null;
  readonly records?: number;
  readonly bytes?: number;
}

export class PostgresAccount extends AccountViews implements AccountRecords {
  async read(collection: CollectionName, id: string): Promise<Outcome<string>> {
    const record = { collection, id, ...attempts() };
    const found = await this.context.turns.quick.take(this.key, () => this.#find(record));
    return found === undefined ? notFound(collection, id) : succeeded(found.body);
  }

  async create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    const { work, database } = this.context;
    const made = await work.newRecord(collection, body, this.owner);
    if (!made.ok) return made;
    return this.#answered('create', collection, '', async (change) => {
      const sequence = [sequenceName(collection)];
      const [next] = await database.ask<{ number: number }>(sql.NUMBER, sequence, change);
      const number = next?.number ?? 0;
      change.id = formatId(collection, number);
      const text = identified(collection, change.id, this.owner, made.value.text);
      return this.#created(change, number, { ...made.value, text });
    });
  }

  async #created(change: Change, number: number, made: ChangedRecord): Promise<Outcome<string>> {
    const { limits, writes } = this.context;
    const { text } = made;
    const bytes = Buffer.byteLength(text);
    if (bytes > BODY_MAX_BYTES) return tooLarge(bytes, BODY_MAX_BYTES);
    try {
      const [row] = await this.#write(writes.create, change, made, [number, bytes, bytes]);
      if (row !== undefined && row.n !== null) return succeeded(text);
      // It may be full with what an earlier attempt stored.
      if (change.isOpen) return storageFailed('unknown');
      return quotaFailure(limits, sizeOf(row), { records: 1, bytes }) ?? storageFailed('notStored');
    } catch (error) {
      // The id is this request's alone, so an earlier attempt stored it.
      if (change.isOpen && isTaken(error)) return this.#confirmed(text, change);
      throw error;
    }
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    const record = `${collection}/${id}/${this.key}`;
    return this.#answered('update', collection, id, (change) =>
      this.context.turns.changes.take(record, () => this.#updated(change, body)),
    );
  }

  async #updated(change: Change, body: string): Promise<Outcome<string>> {
    const { work, limits, writes } = this.context;
    const { collection, id } = change;
    for (let version: number | undefined; ; ) {
      const before = await this.#find(change);
      const stored = before?.body ?? '{}';
      const changed = await work.patchedRecord(collection, stored, body, this.owner);
      if (!changed.ok && changed.failure.code === 'INVALID_JSON') return changed;
      // What an earlier attempt stored, merging it again leaves as it is; otherwise it may be overwritten by now.
      if (change.isOpen && before?.version !== version) {
        const isThere = changed.ok && changed.value.text === before?.body;
        return isThere ? this.#confirmed(before.body, change) : storageFailed('unknown');
      }
      if (before === undefined) return notFound(collection, id);
      if (!changed.ok) return changed;
      const { text } = changed.value;
      const bytes = Buffer.byteLength(text);
      if (bytes > BODY_MAX_BYTES) return tooLarge(bytes, BODY_MAX_BYTES);
      const growth = bytes - before.bytes;
      version = before.version;
      const values = [version, growth, bytes];
      const [row] = await this.#write(writes.update, change, changed.value, values);
      if (row !== undefined && row.n !== null) return succeeded(text);
      const refused = row && quotaFailure(limits, sizeOf(row), { records: 0, bytes: growth });
      if (refused !== undefined && !change.isOpen) return refused;
    }
  }

  delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#answered('delete', collection, id, async (change) => {
      const [gone] = await this.#write(sql.DELETE, change);
      // After a lost connection it is unknown whether this request deleted it or an earlier one.
      if (gone === undefined && change.isOpen) return storageFailed('unknown');
      if (gone === undefined) return notFound(collection, id);
      const forgetting = [this.key, collection];
      // The record is deleted, whatever becomes of this.
      if (gone.records === 0)
        await this.context.database.ask(sql.FORGET, forgetting, change).catch(() => {});
      return succeeded(id);
    });
  }

  /** What an earlier attempt stored is acknowledged when a commit after it is, on the standbys, too. */
  async #confirmed(value: string, change: Change): Promise<Outcome<string>> {
    await this.context.database.ask(sql.TOUCH, [], change);
    return succeeded(value);
  }

  async #find(record: Attempts & Pick<Change, 'collection' | 'id'>) {
    const key = [this.key, record.collection, toStored(record.id)];
    return (await this.context.database.ask<Stored>(sql.FIND, key, record))[0];
  }

  /** With the audit event in the same transaction. "If the audit write fails …, the change stands." */
  async #write(
    statement: sql.Statement,
    change: Change,
    record?: ChangedRecord,
    sizes: readonly number[] = [],
  ): Promise<readonly Written[]> {
    const { database, writes, log, isLogged, events, clock } = this.context;
    const { kind, collection, id } = change;
    const { sender, owner, key } = this;
    if (sender?.isDisconnected()) throw new FailureError(GONE);
    const values: unknown[] = [key, collection, toStored(id), ...sizes];
    if (record !== undefined) {
      const { text, status } = record;
      values.push(clock(), statusColumn(status), text, foldedColumn(text));
    }
    const asked = { kind, sender, owner, collection };
    const event = auditEvent(asked, id, record?.changed ?? [], clock());
    const write = (logged: string | null) => {
      const isAlone = writes.isLimited || logged !== null;
      return database.ask<Written>(statement, [...values, logged], change, isAlone);
    };
    if (event === undefined) return write(null);
    let written: readonly Written[];
    try {
      written = await write(JSON.stringify(event));
    } catch (error) {
      if (change.isOpen || failureIn(error) !== undefined) throw error;
      written = await write(null);
      events.auditFailed();
      log.error('admin_audit_write_failed', error, { events: 1, records: `${kind} ${id}` });
      return written;
    }
    const isStored = written[0] !== undefined && written[0].n !== null;
    if (isStored && isLogged(event)) log.info('admin_audit', loggedEvent(event));
    return written;
  }

  /** The outcome of a write, also if Postgres refused it or it is unknown. */
  async #answered(
    kind: Change['kind'],
    collection: CollectionName,
    id: string,
    act: (change: Change) => Promise<Outcome<string>>,
  ): Promise<Outcome<string>> {
    const { events, log, turns } = this.context;
    const change: Change = { kind, collection, id, ...attempts() };
    try {
      return await turns.quick.take(this.key, () => act(change));
    } catch (error) {
      const failure = failureIn(error);
      if (!change.isOpen && failure !== undefined) throw error;
      const status = change.isOpen ? 'unknown' : 'notStored';
      const reason = failure === undefined ? error : (error as Error).cause;
      events.commitStarted(1);
      events.commitFinished(status, reason);
      log.error('storage_commit_failed', reason, { stored: status });
      return storageFailed(status);
    }
  }
}

function isTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}

function sizeOf(row: Written | undefined) {
  return { records: row?.records ?? 0, bytes: row?.bytes ?? 0 };
}
