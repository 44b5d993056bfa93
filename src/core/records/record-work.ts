// The JSON work of a write: pure functions from texts to texts. A host may have
// it done elsewhere, so that expensive work does not delay other requests.

import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import { paymentRow } from '../domain/payment.js';
import { type ChangedRecord, newRecord, patchedRecord } from '../domain/record.js';
import type { MaybePromise } from '../maybe-promise.js';

/**
 * Each function as in the domain; rejects only if the work itself can't be done. Work that
 * waits is done for one `account` after the other, in rotation.
 */
export interface RecordWork {
  newRecord(
    name: CollectionName,
    body: string,
    account: string,
  ): MaybePromise<Outcome<ChangedRecord>>;
  patchedRecord(
    name: CollectionName,
    stored: string,
    body: string,
    account: string,
  ): MaybePromise<Outcome<ChangedRecord>>;
  paymentRow(order: string, account: string): MaybePromise<string>;
}

/** Done at once, in the thread of the caller. */
export const workInPlace: RecordWork = { newRecord, patchedRecord, paymentRow };
