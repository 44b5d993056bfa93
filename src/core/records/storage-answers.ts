// "Persisting a create/update/delete failed": what the senders of writes are told then.

import { failed, type Outcome } from '../domain/errors.js';
import type { CommitResult } from './record-storage.js';

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
  return status === 'committed' || status === 'storedUnconfirmed';
}
