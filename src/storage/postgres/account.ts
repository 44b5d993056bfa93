// The records of a stateless process over Postgres; any number of processes run concurrently. A write
// is one statement that can be retried after a lost connection: a create reserves its id first, and a
// PATCH names the version it changes.

import { loggedEvent } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { FailureError, type Outcome, succeeded } from '../../core/domain/errors.js';
import { formatId } from '../../core/domain/identifier.js';
import {
  type ChangedRecord,
  newRecord,
  patchedRecord,
  withServerFields,
} from '../../core/domain/record.js';
import { quotaFailure } from '../../core/records/account-limits.js';
import type { AccountRecords, RecordService } from '../../core/records/record-service.js';
import type { AccountSize } from '../../core/records/record-set.js';
import {
  auditEvent,
  notFound,
  recordTooLarge,
  storageFailed,
  type WriteKind,
} from '../../core/records/writes.js';
import { AccountReads, contextOf, type PostgresOptions } from './account-reads.js';
import { foldedColumn, statusColumn, toStored } from './columns.js';
import { type Attempts, newAttempts } from './database.js';
import { sequenceName } from './schema.js';
import * as sql from './statements.js';
import { postgresViews } from './views.js';

interface Change {
  readonly attempts: Attempts;
  readonly kind: WriteKind;
  readonly collection: CollectionName;
  readonly id: string;
}

/** `n`: null if a quota was reached. `records`, `bytes`: the account's totals, if it has quotas. */
interface WrittenRow extends AccountSize {
  readonly n: number | null;
}

export function postgresRecords(options: PostgresOptions): RecordService {
  const context = contextOf(options);
  return {
    account: (owner, requestContext) => new PostgresAccount(context, owner, requestContext),
    operator: postgresViews(options.database),
  };
}

class PostgresAccount extends AccountReads implements AccountRecords {
  async create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    const made = newRecord(collection, body);
    if (!made.ok) return made;
    return this.#attempt(async (attempts) => {
      const sequence = [sequenceName(collection)];
      const [next] = await this.query<{ number: number }>(sql.NEXT_NUMBER, sequence, attempts);
      const number = next?.number ?? 0;
      const id = formatId(collection, number);
      const text = withServerFields(collection, id, this.owner, made.value.text);
      const change: Change = { attempts, kind: 'create', collection, id };
      try {
        const outcome = await this.#stored(change, { ...made.value, text }, number, '');
        return outcome ?? storageFailed('notStored');
      } catch (error) {
        // Unique violation: only this request uses the id, so an earlier attempt stored the record.
        const { code } = error as { code?: unknown };
        if (attempts.isInDoubt && code === '23505') return this.#confirmed(text, attempts);
        throw error;
      }
    });
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    const record = `${this.key}\n${collection}/${id}`;
    return this.#attempt((attempts) => {
      const change: Change = { attempts, kind: 'update', collection, id };
      return this.context.semaphore(record, 1, () => this.#updated(change, body));
    });
  }

  /** Compare-and-swap by the record's version, repeated until no other change comes first. */
  async #updated(change: Change, body: string): Promise<Outcome<string>> {
    const { attempts, collection, id } = change;
    for (let version: number | undefined; ; ) {
      const before = await this.find(collection, id, attempts);
      const changed = patchedRecord(collection, before?.body ?? '{}', body);
      if (!changed.ok && changed.failure.code === 'INVALID_JSON') return changed;
      if (before === undefined) return notFound(collection, id);
      if (!changed.ok) return changed;
      if (attempts.isInDoubt && before.version !== version) {
        // If an earlier attempt was stored, merging again changes nothing; otherwise it may have been overwritten.
        const isStored = changed.value.text === before.body;
        return isStored ? this.#confirmed(before.body, attempts) : storageFailed('unknown');
      }
      version = before.version;
      const outcome = await this.#stored(change, changed.value, version, before.body);
      if (outcome !== undefined) return outcome;
    }
  }

  /** Undefined: another change won. `target`: the position of a new record, or the version to replace. */
  async #stored(
    change: Change,
    record: ChangedRecord,
    target: number,
    before: string,
  ): Promise<Outcome<string> | undefined> {
    const { text, status, changed } = record;
    const refused = recordTooLarge(text, before);
    if (refused !== undefined) return refused;
    const bytes = Buffer.byteLength(text);
    const byteDelta = bytes - Buffer.byteLength(before);
    const columns = [Date.now(), statusColumn(status), text, foldedColumn(text)];
    const values = [target, byteDelta, bytes, ...columns];
    const [row] = await this.#write(change, values, changed);
    if (row === undefined) return undefined;
    if (row.n !== null) return succeeded(text);
    const records = change.kind === 'create' ? 1 : 0;
    return quotaFailure(this.context.limits, row, { records, bytes: byteDelta });
  }

  delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#attempt(async (attempts) => {
      const [deleted] = await this.#write({ attempts, kind: 'delete', collection, id });
      if (deleted === undefined) return notFound(collection, id);
      // The record is already deleted, so a failure here doesn't matter.
      if (deleted.records === 0) {
        await this.query(sql.DELETE_EMPTY_TOTALS, [this.key, collection], attempts).catch(() => {});
      }
      return succeeded(id);
    });
  }

  /** Acknowledges an earlier attempt once a later commit is durable, on synchronous standbys too. */
  async #confirmed(value: string, attempts: Attempts): Promise<Outcome<string>> {
    await this.query(sql.TOUCH, [], attempts);
    return succeeded(value);
  }

  /** Stores the audit event in the same transaction. "If the audit write fails …, the change stands." */
  async #write(change: Change, columns: readonly unknown[] = [], changed: readonly string[] = []) {
    const { log, isLogged, events, writes } = this.context;
    const { owner, requestContext } = this;
    const { attempts, kind, collection, id } = change;
    const values = [this.key, collection, toStored(id), ...columns];
    const write = (event: string | null) =>
      this.query<WrittenRow>(writes[kind], [...values, event], attempts);
    const event = auditEvent(kind, requestContext, { owner, collection, id }, changed, Date.now());
    if (event === undefined) return write(null);
    try {
      const written = await write(JSON.stringify(event));
      const isStored = written[0] !== undefined && written[0].n !== null;
      if (isStored && isLogged(event)) log.info('admin_audit', loggedEvent(event));
      return written;
    } catch (error) {
      if (attempts.isInDoubt || error instanceof FailureError) throw error;
      const written = await write(null);
      events?.auditFailed();
      log.error('admin_audit_write_failed', error, { events: 1, records: `${kind} ${id}` });
      return written;
    }
  }

  /** Runs a write; `STORAGE_FAILED` if Postgres refuses it, or if its outcome is unknown. */
  async #attempt(act: (attempts: Attempts) => Promise<Outcome<string>>): Promise<Outcome<string>> {
    const { events, log } = this.context;
    const [attempts, startedAt] = [newAttempts(), performance.now()];
    try {
      const outcome = await act(attempts);
      if (outcome.ok) events?.commitEnded('committed', 1, performance.now() - startedAt);
      if (outcome.ok || !attempts.isInDoubt) return outcome;
      // An earlier attempt may have been stored, so the outcome is unknown.
      throw new Error(`an attempt got no response, and the next one met ${outcome.failure.code}`);
    } catch (error) {
      const isFailure = error instanceof FailureError;
      if (!attempts.isInDoubt && isFailure) throw error;
      const status = attempts.isInDoubt ? 'unknown' : 'notStored';
      const reason = isFailure ? error.cause : error;
      events?.commitEnded(status, 1, performance.now() - startedAt, reason);
      log.error('storage_commit_failed', reason, { stored: status });
      return storageFailed(status);
    }
  }
}
