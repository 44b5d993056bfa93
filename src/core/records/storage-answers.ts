// "Persisting a create/update/delete failed": what the senders of writes are told then.

import { failed, type Outcome } from '../domain/errors.js';
import type { CommitResult } from './record-storage.js';

/** A replica that is back is noticed within a second or two. */
const RETRY_AFTER_SECONDS = 5;

/** Where storage holds what it held before, a writer has nothing to look for. */
export function storageFailed(status: CommitResult['status']): Outcome<string> {
  if (status === 'notStored') {
    return failed(
      'STORAGE_FAILED',
      'the change could not be stored: nothing was changed; try again',
    );
  }
  return failed(
    'STORAGE_FAILED',
    'the change could not be confirmed on disk; read the record before trying again',
  );
}

/** Whether storage has the changes, whatever their senders are told. */
export function isStored({ status }: CommitResult): boolean {
  return status === 'committed' || status === 'storedUnconfirmed' || status === 'notReplicated';
}

export function storageUnavailable(): Outcome<string> {
  const { failure } = failed(
    'STORAGE_UNAVAILABLE',
    'nothing was changed: the replica of the database cannot be reached; try again later',
  );
  return { ok: false, failure: { ...failure, retryAfterSeconds: RETRY_AFTER_SECONDS } };
}

export function notConfirmed(): Outcome<string> {
  return failed(
    'STORAGE_UNAVAILABLE',
    'the change is kept on this machine, not confirmed by the replica of the database; read the record before trying again',
  );
}
