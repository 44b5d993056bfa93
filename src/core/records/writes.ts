// The failures of a write, the same in every engine, and the audit event of a change.

import { type AuditEvent, changedNames } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { type Failure, failed, type Outcome } from '../domain/errors.js';
import { RECORD_MAX_BYTES } from '../domain/limits.js';
import type { CommitStatus } from '../service-events.js';
import { utf8Length } from '../utf8-length.js';
import type { RecordName } from './record-list.js';
import type { RequestContext } from './record-service.js';

export type WriteKind = 'create' | 'update' | 'delete';

/** Undefined for an account's own change. `now`: milliseconds since 1970, UTC. */
export function auditEvent(
  kind: WriteKind,
  requestContext: RequestContext | undefined,
  { owner, collection, id }: RecordName,
  changed: readonly string[],
  now: number,
): AuditEvent | undefined {
  if (requestContext?.actor === undefined) return undefined;
  return {
    actor: requestContext.actor,
    action: kind,
    resource: collection,
    record_id: id,
    owner_sub: owner,
    timestamp: new Date(now).toISOString(),
    ...changedNames(changed),
    ...(requestContext.run !== undefined && { run: requestContext.run }),
  };
}

/** The refusal of a record with too much JSON. A longer one that an earlier build stored may shrink. */
export function recordTooLarge(text: string, stored = ''): Outcome<never> | undefined {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= RECORD_MAX_BYTES) return undefined;
  const bytes = utf8Length(text);
  if (bytes <= Math.max(RECORD_MAX_BYTES, utf8Length(stored))) return undefined;
  return failed(
    'VALIDATION_FAILED',
    `the record would have ${bytes} bytes of JSON; the limit is ${RECORD_MAX_BYTES}: split it into several records`,
  );
}

export function notFound(collection: CollectionName, id: string): Outcome<never> {
  return failed('NOT_FOUND', `${collection} has no record ${JSON.stringify(id)} in this account`);
}

/** "Persisting a create/update/delete failed." */
export function storageFailed(status: Exclude<CommitStatus, 'committed'>): Outcome<never> {
  return failed(
    'STORAGE_FAILED',
    status === 'notStored'
      ? 'the change could not be stored: nothing was changed; try again'
      : 'the change could not be confirmed on disk; read the record before trying again',
  );
}

/** Whether a write is refused whatever is stored, so that the refusal is right even if its group's commit fails. */
export function dependsOnBodyOnly(kind: WriteKind, { code }: Failure): boolean {
  return code === 'INVALID_JSON' || (kind === 'create' && code === 'VALIDATION_FAILED');
}
