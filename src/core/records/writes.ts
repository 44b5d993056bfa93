// A write on its way to the commit: what an account asks for, and the rules by which it is
// prepared and staged.

import { type AuditEvent, changedNames } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { formatId } from '../domain/identifier.js';
import { identified } from '../domain/record.js';
import type { CommitStatus } from '../service-events.js';
import { type AccountLimits, quotaFailure } from './account-limits.js';
import type { CommitGroup, Write } from './commit-group.js';
import type { RecordSet } from './record-set.js';
import type { RecordStorage } from './record-storage.js';
import type { RecordWork } from './record-work.js';
import { utf8Length } from './utf8-length.js';

/** Of one UTF-16 unit. */
const UTF8_MAX_BYTES = 3;

export interface WriteRulesOptions {
  readonly set: RecordSet;
  readonly work: RecordWork;
  readonly limits: AccountLimits;
  readonly storage: Pick<RecordStorage, 'bodyMaxBytes'>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class WriteRules {
  readonly #options: WriteRulesOptions;

  constructor(options: WriteRulesOptions) {
    this.#options = options;
  }

  /**
   * Does the expensive part, perhaps in another thread; then it returns a promise, and no other
   * write of the account is prepared or staged before this one is. Rejects only if the part cannot
   * be done. To be repeated if the state that it was prepared on was not stored after all.
   */
  prepare(write: Write, current: CommitGroup): Promise<void> | undefined {
    const { work } = this.#options;
    const { kind, owner, collection, id, body } = write;
    if (kind !== 'create') write.before = current.find(owner, collection, id);
    if (kind === 'delete') return undefined;
    const changed =
      kind === 'create'
        ? work.newRecord(collection, body, owner)
        : work.patchedRecord(collection, write.before?.text ?? '{}', body, owner);
    if (changed instanceof Promise) {
      return changed.then((done) => {
        write.changed = done;
      });
    }
    write.changed = changed;
    return undefined;
  }

  /** Decides at once, in the order of the commit; gives positions and ids. */
  stage(write: Write, group: CommitGroup): void {
    const { kind, owner, collection, before, changed } = write;
    const { set, clock } = this.#options;
    // A body that is not one JSON object is 400 whether or not the record is there. Such a refusal
    // stands even if the group's commit fails.
    if (changed?.ok === false && (kind === 'create' || changed.failure.code === 'INVALID_JSON')) {
      write.answer(changed);
      return;
    }
    if (kind !== 'create' && before === undefined) {
      group.add(write, notFound(collection, write.id));
      return;
    }
    if (changed?.ok === false) {
      group.add(write, changed);
      return;
    }
    const record = changed?.value;
    if (record === undefined) {
      write.growth = set.growth(before?.text);
      group.add(write, succeeded(write.id), auditEvent(write, [], clock()));
      return;
    }
    let { text } = record;
    let key = before?.key;
    if (key === undefined) {
      key = set.nextSequence(collection);
      write.id = formatId(collection, key);
      text = identified(collection, write.id, owner, text);
    }
    write.growth = set.growth(before?.text, text);
    const refused = this.#refused(write, text, group);
    if (refused !== undefined) {
      group.add(write, refused);
      return;
    }
    const position = before?.position ?? set.nextPosition();
    write.after = { position, key, text, status: record.status };
    group.add(write, succeeded(text), auditEvent(write, record.changed, clock()));
  }

  /** A record that storage would not take fails alone, before it can fail the writes that are committed with it. */
  #refused(
    { owner, before, growth }: Write,
    text: string,
    current: CommitGroup,
  ): Outcome<string> | undefined {
    const { limits, storage } = this.#options;
    const { bodyMaxBytes } = storage;
    if (text.length * UTF8_MAX_BYTES > bodyMaxBytes) {
      const length = utf8Length(text);
      if (length > bodyMaxBytes) return tooLarge(length, bodyMaxBytes);
    }
    if (limits.maxBytes === 0 && limits.maxRecords === 0) return undefined;
    const records = before === undefined ? 1 : 0;
    return quotaFailure(limits, current.sizeOf(owner), { records, bytes: growth });
  }
}

/** Undefined for a change that no administrator asked for. `now`: milliseconds since 1970, UTC. */
export function auditEvent(
  write: Pick<Write, 'kind' | 'sender' | 'owner' | 'collection' | 'id'>,
  changed: readonly string[],
  now: number,
): AuditEvent | undefined {
  const { kind, sender, owner, collection, id } = write;
  if (sender?.actor === undefined) return undefined;
  return {
    actor: sender.actor,
    action: kind,
    resource: collection,
    record_id: id,
    owner_sub: owner,
    timestamp: new Date(now).toISOString(),
    ...changedNames(changed),
    ...(sender.run !== undefined && { run: sender.run }),
  };
}

/** The refusal of a change whose client left before it was made. */
export const CLIENT_GONE = failed(
  'BAD_REQUEST',
  'the connection was closed before the change was made',
);

export function tooLarge(bytes: number, bodyMaxBytes: number): Outcome<string> {
  return failed(
    'VALIDATION_FAILED',
    `the record would take ${bytes} bytes; storage here takes ${bodyMaxBytes}, spread it over several records`,
  );
}

export function notFound(collection: CollectionName, id: string): Outcome<never> {
  return failed('NOT_FOUND', `${collection} has no record ${JSON.stringify(id)} in this account`);
}

/** "Persisting a create/update/delete failed." If storage holds what it held before, there is nothing to look for. */
export function storageFailed(status: CommitStatus): Outcome<string> {
  return failed(
    'STORAGE_FAILED',
    status === 'notStored'
      ? 'the change could not be stored: nothing was changed; try again'
      : 'the change could not be confirmed on disk; read the record before trying again',
  );
}
