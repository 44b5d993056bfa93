// The package's entry for those who write a storage of their own: the promises of
// the two ports as checks, which any test framework can run.

import type { RecordStorage, StoredViews } from './core/records/record-storage.js';
import type { Check, StorageHome } from './storage/conformance/check.js';
import { type StorageCheckOptions, storageChecks } from './storage/conformance/storage-checks.js';
import { storedViewsChecks } from './storage/conformance/views-checks.js';

/** The checks of a storage that `openRecords` takes. `make` provides a new, empty home for each of them. */
export function storageConformance(
  make: () => Promise<StorageHome<RecordStorage & StoredViews>>,
  options: StorageCheckOptions = {},
): Check[] {
  return [...storageChecks(make, options), ...storedViewsChecks(make)];
}

export type { Check, StorageCheckOptions, StorageHome };
