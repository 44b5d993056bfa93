// The checks of the operator's views of a storage that answers them itself, as
// tests. An adapter's own test file passes a way to open it.

import type { Journal, StoredViews } from '../../src/core/records/journal.js';
import type { JournalHome } from '../../src/storage/conformance/check.js';
import { storedViewsChecks } from '../../src/storage/conformance/views-checks.js';
import { describeChecks } from './journal-conformance.js';

export function viewsConformanceOf(
  name: string,
  make: () => Promise<JournalHome<Journal & StoredViews>>,
): void {
  describeChecks(`The operator's views of storage — ${name}`, storedViewsChecks(make));
}
