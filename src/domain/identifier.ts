// Record identifiers: a prefix of the collection and a sequence number with a
// minimum of digits (the contract's "Identifiers").

import type { CollectionName } from './collection-name.js';
import { COLLECTIONS } from './collections.js';

const PAYMENT_PREFIX = 'PAY-';

/** `customers`, 42 → `CUS-0042`. */
export function formatId(collection: CollectionName, sequence: number): string {
  const { idPrefix, idDigitsMin } = COLLECTIONS[collection];
  return idPrefix + String(sequence).padStart(idDigitsMin, '0');
}

/** `CUS-0042` → 42; 0 for an id of another form, which does not affect the next number. */
export function sequenceOf(collection: CollectionName, id: string): number {
  const { idPrefix } = COLLECTIONS[collection];
  const digits = id.slice(idPrefix.length);
  if (!id.startsWith(idPrefix) || !/^[0-9]+$/.test(digits)) return 0;
  const sequence = Number(digits);
  return Number.isSafeInteger(sequence) ? sequence : 0;
}

/**
 * The key of a record in memory: the number in its id, which takes no memory of its
 * own, or the whole id where it has another form.
 */
export type RecordKey = number | string;

/** `CUS-0042` → 42; `CUS-042` stays `CUS-042`, because the number 42 is written `CUS-0042`. */
export function keyOf(collection: CollectionName, id: string): RecordKey {
  const sequence = sequenceOf(collection, id);
  return sequence > 0 && formatId(collection, sequence) === id ? sequence : id;
}

export function idOf(collection: CollectionName, key: RecordKey): string {
  return typeof key === 'number' ? formatId(collection, key) : key;
}

/** `ORD-0042` → `PAY-0042`: a payment row shows which order it is computed from. */
export function paymentIdOf(orderId: string): string {
  const { idPrefix } = COLLECTIONS.orders;
  return PAYMENT_PREFIX + (orderId.startsWith(idPrefix) ? orderId.slice(idPrefix.length) : orderId);
}
