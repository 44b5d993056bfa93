// One account's records, answered by Postgres. A write is one statement, and can be run again when
// its connection was lost: a create knows its id before, a PATCH names the version it changes.

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
import { type ChangedRecord, identified } from '../../core/domain/record.js';
import type { Log } from '../../core/log.js';
import { type AccountLimits, quotaFailure } from '../../core/records/account-limits.js';
import type { AccountRecords, Sender } from '../../core/records/record-service.js';
import { notFound, storageFailed } from '../../core/records/writes.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { AccountViews, type ViewContext } from './account-views.js';
import { foldedColumn, statusColumn } from './columns.js';
import { deadline, unavailable } from './database.js';
import { sequenceName } from './schema.js';
import { type Statement, StatementError } from './statement.js';
import * as sql from './statements.js';
import { toStored } from './stored-text.js';
import type { Turns } from './turns.js';

/** Far below Postgres' limit of 1 GB for a row and a statement. */
const BODY_MAX_BYTES = 64 * 1_048_576;

const DISCONNECTED = failed('BAD_REQUEST', 'the connection was closed before the change was made');

export interface AccountContext extends ViewContext {
  /** Of the changes of each record. */
  readonly changes: Turns;
  readonly limits: AccountLimits;
  readonly log: Log;
  readonly isLogged: (event: AuditEvent) => boolean;
  readonly events: ServiceEvents;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/** A change on its way. */
interface Change {
  readonly action: AuditEvent['action'];
  readonly collection: CollectionName;
  readonly id: string;
  readonly changed: readonly string[];
}

interface Attempts {
  /** Of `performance.now()`. */
  readonly until: number;
  /** One was sent and got no answer: it may have been stored. */
  isOpen: boolean;
}

interface Stored {
  readonly body: string;
  readonly version: number;
  readonly bytes: number;
}

/** `n`: null where the account is as large as it may be; `records`, `bytes`: of the account, where it has limits. */
interface Written {
  readonly n?: string | null;
  readonly records?: string | null;
  readonly bytes?: string;
}

export class PostgresAccount extends AccountViews implements AccountRecords {
  readonly #context: AccountContext;
  readonly #owner: string;
  readonly #key: string;
  readonly #sender: Sender | undefined;

  constructor(context: AccountContext, owner: string, sender?: Sender) {
    super(context, owner, sender);
    this.#context = context;
    this.#owner = owner;
    this.#key = toStored(owner);
    this.#sender = sender;
  }

  async read(collection: CollectionName, id: string): Promise<Outcome<string>> {
    const attempts = { until: deadline() };
    const find = () => this.#find(collection, id, attempts);
    const found = await this.#context.turns.quick.take(this.#key, find);
    return found === undefined ? notFound(collection, id) : succeeded(found.body);
  }

  async create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    const { work, database } = this.#context;
    const made = await work.newRecord(collection, body, this.#owner);
    if (!made.ok) return made;
    return this.#answered(async (attempts) => {
      const sequence = [sequenceName(collection)];
      const [next] = await database.read<{ number: string }>(sql.NUMBER, sequence, attempts.until);
      const number = Number(next?.number);
      const id = formatId(collection, number);
      const text = identified(collection, id, this.#owner, made.value.text);
      const change = { action: 'create', collection, id, changed: made.value.changed } as const;
      return this.#created(change, number, { ...made.value, text }, attempts);
    });
  }

  async #created(
    change: Change,
    number: number,
    { text, status }: ChangedRecord,
    attempts: Attempts,
  ): Promise<Outcome<string>> {
    const { limits } = this.#context;
    const bytes = Buffer.byteLength(text);
    if (bytes > BODY_MAX_BYTES) return tooLarge(bytes);
    const isLimited = limits.maxRecords > 0 || limits.maxBytes > 0;
    const most = isLimited ? [limits.maxRecords, limits.maxBytes] : [];
    const values = [number, bytes, ...this.#columns(text, status, bytes)];
    const statement = isLimited ? sql.CREATE_WITHIN : sql.CREATE;
    const writing = this.#write(statement, change, values, most, attempts);
    let refusal: unknown;
    const [row] = await writing.catch((error: unknown) => {
      if (!attempts.isOpen) throw error;
      refusal = error;
      return [];
    });
    if (row !== undefined && row.n !== null) return succeeded(text);
    // An earlier attempt may have stored it: then the id is taken, or the account is full.
    const isThere =
      attempts.isOpen && (await this.#find(change.collection, change.id, attempts))?.body === text;
    if (isThere) return this.#confirmed(text, attempts);
    if (refusal !== undefined) throw refusal;
    return quotaFailure(limits, sizeOf(row), { records: 1, bytes }) ?? storageFailed('notStored');
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    const record = `${collection}/${id}/${this.#key}`;
    return this.#answered((attempts) =>
      this.#context.changes.take(record, () => this.#updated(collection, id, body, attempts)),
    );
  }

  async #updated(
    collection: CollectionName,
    id: string,
    body: string,
    attempts: Attempts,
  ): Promise<Outcome<string>> {
    const { work, limits } = this.#context;
    for (let version: number | undefined; ; ) {
      const before = await this.#find(collection, id, attempts);
      const stored = before?.body ?? '{}';
      const changed = await work.patchedRecord(collection, stored, body, this.#owner);
      if (!changed.ok && changed.failure.code === 'INVALID_JSON') return changed;
      // What an earlier attempt stored, merging it again leaves as it is; otherwise it may be overwritten by now.
      if (attempts.isOpen && before?.version !== version) {
        const isThere = changed.ok && changed.value.text === before?.body;
        return isThere ? this.#confirmed(before.body, attempts) : storageFailed('unknown');
      }
      if (before === undefined) return notFound(collection, id);
      if (!changed.ok) return changed;
      const { text, status } = changed.value;
      const bytes = Buffer.byteLength(text);
      if (bytes > BODY_MAX_BYTES) return tooLarge(bytes);
      const growth = bytes - before.bytes;
      version = before.version;
      const isLimited = limits.maxBytes > 0 && growth > 0;
      const most = isLimited ? [0, limits.maxBytes] : [];
      const values = [version, growth, ...this.#columns(text, status, bytes)];
      const statement = isLimited ? sql.UPDATE_WITHIN : sql.UPDATE;
      const change = { action: 'update', collection, id, changed: changed.value.changed } as const;
      const [row] = await this.#write(statement, change, values, most, attempts);
      if (row !== undefined && row.n !== null) return succeeded(text);
      const refused = row && quotaFailure(limits, sizeOf(row), { records: 0, bytes: growth });
      if (refused !== undefined && !attempts.isOpen) return refused;
    }
  }

  async delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    const { database } = this.#context;
    return this.#answered(async (attempts) => {
      const change = { action: 'delete', collection, id, changed: [] } as const;
      const [gone] = await this.#write(sql.DELETE, change, [], [], attempts);
      if (gone === undefined) {
        // After a lost connection nobody knows who deleted it: this request, or another one before it.
        return attempts.isOpen ? storageFailed('unknown') : notFound(collection, id);
      }
      const { until } = attempts;
      // The record is deleted, whatever becomes of this.
      const isLast = gone.records === '0';
      if (isLast) await database.write(sql.FORGET, [this.#key, collection], until).catch(() => {});
      return succeeded(id);
    });
  }

  /** What an earlier attempt stored is acknowledged when a commit after it is, on the standbys, too. */
  async #confirmed(value: string, { until }: Attempts): Promise<Outcome<string>> {
    await this.#context.database.write(sql.TOUCH, [], until);
    return succeeded(value);
  }

  async #find(collection: CollectionName, id: string, { until }: Pick<Attempts, 'until'>) {
    const key = [this.#key, collection, toStored(id)];
    return (await this.#context.database.read<Stored>(sql.FIND, key, until))[0];
  }

  #columns(text: string, status: ChangedRecord['status'], bytes: number): readonly unknown[] {
    return [bytes, this.#context.clock(), statusColumn(status), text, foldedColumn(text)];
  }

  /** With the audit event in the same transaction. "If the audit write fails …, the change stands." */
  async #write(
    statement: Statement,
    change: Change,
    values: readonly unknown[],
    most: readonly number[],
    attempts: Attempts,
  ): Promise<readonly Written[]> {
    const { database, log, isLogged, events } = this.#context;
    const { action, collection, id } = change;
    if (this.#sender?.isDisconnected()) throw new FailureError(DISCONNECTED.failure);
    const write = async (event: string | null) => {
      const all = [this.#key, collection, toStored(id), ...values, event, ...most];
      const isAlone = event !== null || most.length > 0;
      try {
        const written = await database.write<Written>(statement, all, attempts.until, isAlone);
        attempts.isOpen ||= written.wasLost;
        return written.result;
      } catch (error) {
        attempts.isOpen ||= error instanceof StatementError && error.wasLost;
        throw error;
      }
    };
    const event = this.#eventOf(change);
    if (event === undefined) return write(null);
    let written: readonly Written[];
    try {
      written = await write(JSON.stringify(event));
    } catch (error) {
      if (attempts.isOpen || !isRefusal(error)) throw error;
      written = await write(null);
      events.auditFailed();
      log.error('admin_audit_write_failed', error, { events: 1, records: `${action} ${id}` });
      return written;
    }
    const isStored = written[0] !== undefined && written[0].n !== null;
    if (isStored && isLogged(event)) log.info('admin_audit', loggedEvent(event));
    return written;
  }

  #eventOf({ action, collection, id, changed }: Change): AuditEvent | undefined {
    const { actor, run } = this.#sender ?? {};
    if (actor === undefined) return undefined;
    return {
      actor,
      action,
      resource: collection,
      record_id: id,
      owner_sub: this.#owner,
      timestamp: new Date(this.#context.clock()).toISOString(),
      ...changedNames(changed),
      ...(run !== undefined && { run }),
    };
  }

  /** The outcome of a write, also if Postgres refused it or nobody knows. */
  async #answered(act: (attempts: Attempts) => Promise<Outcome<string>>): Promise<Outcome<string>> {
    const { events, log, turns } = this.#context;
    const attempts = { until: deadline(), isOpen: false };
    try {
      return await turns.quick.take(this.#key, () => act(attempts));
    } catch (error) {
      if (!attempts.isOpen && failureIn(error) !== undefined) throw error;
      if (!attempts.isOpen && error instanceof StatementError && !isRefusal(error))
        throw unavailable();
      const status = attempts.isOpen ? 'unknown' : 'notStored';
      events.commitStarted(1);
      events.commitFinished(status, error);
      log.error('storage_commit_failed', error, { stored: status });
      return storageFailed(status);
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof StatementError && error.kind === 'refused';
}

function sizeOf(row: Written | undefined) {
  return { records: Number(row?.records ?? 0), bytes: Number(row?.bytes ?? 0) };
}

function tooLarge(bytes: number): Outcome<string> {
  return failed(
    'VALIDATION_FAILED',
    `the record would take ${bytes} bytes; storage here takes ${BODY_MAX_BYTES}, spread it over several records`,
  );
}
