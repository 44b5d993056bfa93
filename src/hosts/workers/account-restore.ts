// Sets an account's object back to an earlier point of its history. Only code inside
// the object can ask the platform for it, and the object has its earlier state when it is
// loaded again. README.md explains how the directory learns of it.

import { type AuditEvent, restoreEvent } from '../../core/domain/audit-event.js';
import type { Restore, RestorePoint, RestoreReply, RestoreState } from './account-call.js';
import type { ObjectParts, RestorableStorage } from './served-account.js';

/** The key of the latest restore's id. It is written before the restore, so an earlier state does not have it. */
const RESTORE_MARKER = 'restore';
const FIND_EVENT = 'select id from audit_events where event = ?1';

/** Rejects, with nothing changed, while the directory cannot take the account's changes. */
export async function beginRestore(
  { storage, outbox, account, log }: ObjectParts,
  restore: Restore,
): Promise<RestoreReply> {
  if (!(await outbox.deliver())) {
    throw new Error('the directory has not taken every change, which would be lost: ask again');
  }
  try {
    const bookmark = await bookmarkOf(storage, restore.point);
    storage.kv.put(RESTORE_MARKER, restore.id);
    const undoBookmark = await storage.onNextSessionRestoreBookmark(bookmark);
    // The log gets it, too, because the answer may not arrive.
    log.warn('account_restored', { owner_sub: restore.owner, bookmark, undoBookmark });
    account.restart();
    return { kind: 'restarting', bookmark, undoBookmark };
  } catch (error) {
    return refused(error);
  }
}

/** Appends the restore to the audit log, once the object is loaded again. The delivery of that event carries the whole state. */
export async function followRestore(
  { storage, recordStorage, outbox, account }: ObjectParts,
  restore: Restore,
): Promise<RestoreState> {
  if (account.state === 'restarting') return 'restarting';
  if (storage.kv.get(RESTORE_MARKER) === restore.id) return 'none';
  const event = eventOf(restore);
  const isLogged =
    recordStorage.hasTables && [...storage.sql.exec(FIND_EVENT, JSON.stringify(event))].length > 0;
  if (!isLogged) {
    if (account.state === 'arriving') throw new Error('the account is being loaded');
    const changes = { puts: [], removals: [], sequences: {}, events: [event], at: restore.at };
    const result = await recordStorage.commit(changes);
    if (result.status !== 'committed') throw result.error;
  }
  return (await outbox.deliver()) ? 'followed' : 'untold';
}

function bookmarkOf(storage: RestorableStorage, point: RestorePoint): string | Promise<string> {
  return 'bookmark' in point ? point.bookmark : storage.getBookmarkForTime(point.time);
}

function refused(error: unknown): RestoreReply {
  const reason = error instanceof Error ? error.message : String(error);
  // The local runtime's message.
  return { kind: 'refused', isSupported: !reason.includes('point-in-time recovery'), reason };
}

/** The same text for the same restore, so that a second call finds the event of the first. */
function eventOf({ owner, point, at }: Restore): AuditEvent {
  const asked = 'bookmark' in point ? point.bookmark : new Date(point.time).toISOString();
  return restoreEvent(asked, owner, at);
}
