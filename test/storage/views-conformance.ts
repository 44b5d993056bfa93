// The checks of the operator's views of a storage that answers them itself, as
// tests. An adapter's own test file passes a way to open it.

import type { RecordStorage, StoredViews } from '../../src/core/records/record-storage.js';
import type { StorageHome } from '../../src/storage/conformance/check.js';
import { storedViewsChecks } from '../../src/storage/conformance/views-checks.js';
import { describeChecks } from './storage-conformance.js';

export function viewsConformanceOf(
  name: string,
  make: () => Promise<StorageHome<RecordStorage & StoredViews>>,
): void {
  describeChecks(`The operator's views of storage — ${name}`, storedViewsChecks(make));
}
