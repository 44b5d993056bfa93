// Record identifiers: the collection's prefix and a zero-padded sequence number (the contract's "Identifiers").

import type { CollectionName } from './collection-name.js';
import { COLLECTIONS } from './collections.js';

const ZERO = 0x30;

/** `customers`, 42 → `CUS-0042`. */
export function formatId(collection: CollectionName, sequence: number): string {
  const { idPrefix, idDigitsMin } = COLLECTIONS[collection];
  return idPrefix + String(sequence).padStart(idDigitsMin, '0');
}

/** `CUS-0042` → 42; 0 for a non-standard id, which does not affect the next number. */
export function sequenceOf(collection: CollectionName, id: string): number {
  const { idPrefix } = COLLECTIONS[collection];
  if (!id.startsWith(idPrefix)) return 0;
  let sequence = 0;
  // Digit by digit, because a start calls this for every record, and a pattern takes several times longer.
  for (let i = idPrefix.length; i < id.length; i++) {
    const digit = id.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return 0;
    sequence = sequence * 10 + digit;
  }
  return Number.isSafeInteger(sequence) ? sequence : 0;
}

/** The key of a record in memory: the number in its id, which takes no extra memory, or the whole id if it is non-standard. */
export type RecordKey = number | string;

/** `CUS-0042` → 42; `CUS-042` stays `CUS-042`, because the number 42 is written `CUS-0042`. */
export function keyOf(collection: CollectionName, id: string): RecordKey {
  const sequence = sequenceOf(collection, id);
  const { idPrefix, idDigitsMin } = COLLECTIONS[collection];
  const digits = id.length - idPrefix.length;
  const isPadded = id.charCodeAt(idPrefix.length) === ZERO;
  const isFormatted = digits === idDigitsMin || (digits > idDigitsMin && !isPadded);
  return sequence > 0 && isFormatted ? sequence : id;
}
