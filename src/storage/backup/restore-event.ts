// The trace that a restore leaves: an event in the audit log of the database
// that it puts in place.

import { CHANGED_NAME_MAX_CHARACTERS, type RestoreEvent } from '../../core/domain/audit-event.js';
import type { Connection } from '../file/connection.js';
import { APPEND_EVENTS } from '../file/file-schema.js';

/** Adds the event to a checked database; `now` in milliseconds since 1970, UTC. */
export function addRestoreEvent(connection: Connection, backup: string, now: number): void {
  const event: RestoreEvent = {
    actor: 'restore',
    action: 'restore',
    resource: 'database',
    record_id: backup.slice(0, CHANGED_NAME_MAX_CHARACTERS),
    owner_sub: '',
    timestamp: new Date(now).toISOString(),
    changed: [],
  };
  connection.batch([{ sql: APPEND_EVENTS, args: [JSON.stringify([event])] }]);
  // The next read lets go of the lock; it would be kept until the statements are collected.
  connection.value('pragma locking_mode = normal');
  connection.value('select count(*) from audit_events');
}
