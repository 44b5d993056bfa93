// The package's entry for the tests of programs that embed the service: a storage in memory, and made-up
// tokens. Neither is for production.

import { localIdentity } from './core/identity/local-tokens.js';
import type { RecordStorage, StoredViews } from './core/records/record-storage.js';
import { sampleRows } from './core/records/sample-rows.js';
import { MemoryStorage } from './storage/memory/memory-record-storage.js';

export interface MemoryStorageOptions {
  /** Whether the storage starts with the rows of the account `local-preview`, as a new file does. Default: true. */
  readonly sampleRows?: boolean;
  /** For the sample rows' creation time: milliseconds since 1970, UTC. */
  readonly clock?: () => number;
}

/** A storage that lives in memory only. */
export function openMemoryStorage(options: MemoryStorageOptions = {}): RecordStorage & StoredViews {
  const storage = new MemoryStorage();
  const { sampleRows: hasSamples = true, clock = Date.now } = options;
  if (hasSamples) {
    storage.apply({ puts: sampleRows(), removals: [], sequences: {}, events: [], at: clock() });
  }
  return storage.open();
}

export { localIdentity };
