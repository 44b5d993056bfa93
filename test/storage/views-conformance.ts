// The checks of the operator's views of a storage that answers them itself, as
// tests. An adapter's own test file passes a way to open it.

import type { JournalHome } from '../../src/conformance/check.js';
import { storedViewsChecks } from '../../src/conformance/views-checks.js';
import type { Journal, StoredViews } from '../../src/records/journal.js';
import { describeChecks } from './journal-conformance.js';

export function viewsConformanceOf(
  name: string,
  make: () => Promise<JournalHome<Journal & StoredViews>>,
): void {
  describeChecks(`The operator's views of storage — ${name}`, storedViewsChecks(make));
}
