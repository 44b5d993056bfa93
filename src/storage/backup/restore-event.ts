// The trace that a restore leaves: an event in the audit log of the database
// that it puts in place.

import type { Client } from '@libsql/client';
import { CHANGED_NAME_MAX_CHARACTERS, type RestoreEvent } from '../../domain/audit-event.js';
import { APPEND_EVENTS } from '../file/file-schema.js';

/** Adds the event to a checked database; `now` in milliseconds since 1970, UTC. */
export async function addRestoreEvent(client: Client, backup: string, now: number): Promise<void> {
  const event: RestoreEvent = {
    actor: 'restore',
    action: 'restore',
    resource: 'database',
    record_id: backup.slice(0, CHANGED_NAME_MAX_CHARACTERS),
    owner_sub: '',
    timestamp: new Date(now).toISOString(),
    changed: [],
  };
  await client.batch([{ sql: APPEND_EVENTS, args: [JSON.stringify([event])] }], 'write');
  // The next read lets go of the lock; the client would keep it until its statements are collected.
  await client.execute('pragma locking_mode = normal');
  await client.execute('select count(*) from audit_events');
}
