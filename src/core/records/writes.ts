// A write on its way to the commit, as a value at each step: asked for by an account (`Write`),
// prepared (`PreparedWrite`), staged (`StagedWrite` of the commit group).

import { type AuditEvent, changedNames } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { formatId } from '../domain/identifier.js';
import { type ChangedRecord, identified } from '../domain/record.js';
import { andThen, type Eventually } from '../eventually.js';
import { type AccountLimits, quotaFailure } from './account-limits.js';
import type { CurrentRecords, StagedWrite } from './commit-group.js';
import { type MemoryRecord, memoryRecord } from './memory-record.js';
import type { Sender } from './record-service.js';
import type { AccountSize, Change, RecordSet } from './record-set.js';
import type { RecordStorage } from './record-storage.js';
import type { RecordWork } from './record-work.js';
import { utf8Length } from './utf8-length.js';

/** Of one UTF-16 unit. */
const UTF8_MAX_BYTES = 3;

interface Asked {
  /** The account. */
  readonly owner: string;
  readonly collection: CollectionName;
  readonly sender: Sender | undefined;
}

interface Creation extends Asked {
  readonly kind: 'create';
  readonly body: string;
}

interface Update extends Asked {
  readonly kind: 'update';
  readonly id: string;
  readonly body: string;
}

interface Deletion extends Asked {
  readonly kind: 'delete';
  readonly id: string;
}

export type Write = Creation | Update | Deletion;

/**
 * A write whose expensive part is done. `changed`: the record as it becomes, or why the body cannot
 * be one. `before`: the record as it is; undefined where the account has none of that id.
 */
export type PreparedWrite =
  | {
      readonly kind: 'create';
      readonly write: Creation;
      readonly changed: Outcome<ChangedRecord>;
    }
  | {
      readonly kind: 'update';
      readonly write: Update;
      readonly before: MemoryRecord | undefined;
      readonly changed: Outcome<ChangedRecord>;
    }
  | {
      readonly kind: 'delete';
      readonly write: Deletion;
      readonly before: MemoryRecord | undefined;
    };

export interface WriteRulesOptions {
  readonly set: RecordSet;
  readonly work: RecordWork;
  readonly limits: AccountLimits;
  readonly storage: Pick<RecordStorage, 'bodyMaxBytes'>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/** How a write is prepared and staged. */
export class WriteRules {
  readonly #options: WriteRulesOptions;

  constructor(options: WriteRulesOptions) {
    this.#options = options;
  }

  /**
   * Does the expensive part, perhaps in another thread: no other write of the account is prepared
   * or staged before this one is. Rejects only where the part cannot be done. The writer prepares
   * a write again where the state that it was prepared on was not stored after all.
   */
  prepare(write: Write, current: CurrentRecords): Eventually<PreparedWrite> {
    const { work } = this.#options;
    const { kind, owner, collection } = write;
    if (kind === 'create') {
      const created = work.newRecord(collection, write.body, owner);
      return andThen(created, (changed) => ({ kind, write, changed }));
    }
    const before = current.find(owner, collection, write.id);
    if (kind === 'delete') return { kind, write, before };
    const patched = work.patchedRecord(collection, before?.text ?? '{}', write.body, owner);
    return andThen(patched, (changed) => ({ kind, write, before, changed }));
  }

  /** Decides at once, in the order of the commit; gives positions and ids. */
  stage(prepared: PreparedWrite, current: CurrentRecords): StagedWrite {
    switch (prepared.kind) {
      case 'create': {
        const { write, changed } = prepared;
        if (!changed.ok) return { outcome: changed, isOfBody: true };
        return this.#created(write, changed.value, current);
      }
      case 'update': {
        const { write, before, changed } = prepared;
        // A body that is not one JSON object is 400 whether or not the record is there.
        if (!changed.ok && changed.failure.code === 'INVALID_JSON') {
          return { outcome: changed, isOfBody: true };
        }
        if (before === undefined) return { outcome: notFound(write.collection, write.id) };
        if (!changed.ok) return { outcome: changed };
        return this.#updated(write, before, changed.value, current);
      }
      case 'delete': {
        const { write, before } = prepared;
        if (before === undefined) return { outcome: notFound(write.collection, write.id) };
        return this.#deleted(write, before);
      }
    }
  }

  #created(
    write: Creation,
    { text: given, status, changed }: ChangedRecord,
    current: CurrentRecords,
  ): StagedWrite {
    const { owner, collection } = write;
    const { set } = this.#options;
    const key = set.nextSequence(collection);
    const id = formatId(collection, key);
    const text = identified(collection, id, owner, given);
    const growth = set.growth(undefined, text);
    const refused = this.#refused(owner, text, { records: 1, bytes: growth }, current);
    if (refused !== undefined) return { outcome: refused };
    const after = memoryRecord(set.nextPosition(), key, { text, status });
    return this.#staged(write, id, { owner, collection, after, growth }, changed);
  }

  #updated(
    write: Update,
    before: MemoryRecord,
    patched: ChangedRecord,
    current: CurrentRecords,
  ): StagedWrite {
    const { owner, collection, id } = write;
    const growth = this.#options.set.growth(before.text, patched.text);
    const refused = this.#refused(owner, patched.text, { records: 0, bytes: growth }, current);
    if (refused !== undefined) return { outcome: refused };
    const after = memoryRecord(before.position, before.key, patched);
    return this.#staged(write, id, { owner, collection, before, after, growth }, patched.changed);
  }

  #deleted(write: Deletion, before: MemoryRecord): StagedWrite {
    const { owner, collection, id } = write;
    const growth = this.#options.set.growth(before.text);
    return this.#staged(write, id, { owner, collection, before, growth }, []);
  }

  /** A record that storage would not take fails alone, before it can fail the writes that are committed with it. */
  #refused(
    owner: string,
    text: string,
    growth: AccountSize,
    current: CurrentRecords,
  ): Outcome<string> | undefined {
    const { limits, storage } = this.#options;
    const { bodyMaxBytes } = storage;
    if (text.length * UTF8_MAX_BYTES > bodyMaxBytes) {
      const bytes = utf8Length(text);
      if (bytes > bodyMaxBytes) return tooLarge(bytes, bodyMaxBytes);
    }
    if (limits.maxBytes === 0 && limits.maxRecords === 0) return undefined;
    return quotaFailure(limits, current.sizeOf(owner), growth);
  }

  #staged(
    { kind, sender, owner, collection }: Write,
    id: string,
    change: Change,
    changed: readonly string[],
  ): StagedWrite {
    const outcome = succeeded(change.after?.text ?? id);
    if (sender?.actor === undefined) return { outcome, change };
    const event: AuditEvent = {
      actor: sender.actor,
      action: kind,
      resource: collection,
      record_id: id,
      owner_sub: owner,
      timestamp: new Date(this.#options.clock()).toISOString(),
      ...changedNames(changed),
      ...(sender.run !== undefined && { run: sender.run }),
    };
    return { outcome, change, event };
  }
}

function tooLarge(bytes: number, bodyMaxBytes: number): Outcome<string> {
  return failed(
    'VALIDATION_FAILED',
    `the record would take ${bytes} bytes; storage here takes ${bodyMaxBytes}, spread it over several records`,
  );
}

export function notFound(collection: CollectionName, id: string): Outcome<never> {
  return failed('NOT_FOUND', `${collection} has no record ${JSON.stringify(id)} in this account`);
}
