// A record as memory keeps it: its JSON text with the few facts that are looked up; nothing is
// parsed to be read.

import type { RecordKey } from '../domain/identifier.js';
import type { RecordText } from '../domain/record.js';

/** A record in memory: never changed in place, an update puts another in its stead. */
export interface MemoryRecord {
  /** Order of creation in this set; lists are sorted by it. */
  readonly position: number;
  readonly key: RecordKey;
  readonly text: string;
  /** The `status` property; undefined where there is none, null where it is no string. */
  readonly status: string | null | undefined;
}

/** The record as memory keeps it. */
export function memoryRecord(
  position: number,
  key: RecordKey,
  { text, status }: RecordText,
): MemoryRecord {
  if (status === undefined || typeof status === 'string') return { position, key, text, status };
  return { position, key, text, status: null };
}
