// The checks of a storage as tests, and the rows and commits of other tests of
// storage. An adapter's own test file passes a way to open it.

import { describe, it } from 'vitest';
import type { RecordStorage, StoredViews } from '../../src/core/records/record-storage.js';
import type { Check, CheckedStorage, StorageHome } from '../../src/storage/conformance/check.js';
import {
  type StorageCheckOptions,
  storageChecks,
} from '../../src/storage/conformance/storage-checks.js';

import { storedViewsChecks } from '../../src/storage/conformance/views-checks.js';

export { changes, event, loaded, row, rows } from '../../src/storage/conformance/sample-changes.js';
export type TestedStorage = CheckedStorage;

export function conformanceOf(
  name: string,
  make: () => Promise<StorageHome>,
  options: StorageCheckOptions = {},
): void {
  describeChecks(`A storage — ${name}`, storageChecks(make, { refusesEvents: true, ...options }));
}

/** The operator's views of a storage that answers them itself. */
export function viewsConformanceOf(
  name: string,
  make: () => Promise<StorageHome<RecordStorage & StoredViews>>,
): void {
  describeChecks(`The operator's views of storage — ${name}`, storedViewsChecks(make));
}

function describeChecks(title: string, checks: readonly Check[]): void {
  describe(title, () => {
    it.each(checks.map(({ name, run }) => [name, run] as const))('%s', (_, run) => run());
  });
}
