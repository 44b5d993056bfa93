// The package's entry for those who write a journal of their own: the promises of
// the two ports as checks, which any test framework can run.

import type { Journal, StoredViews } from './core/records/journal.js';
import type { Check, JournalHome } from './storage/conformance/check.js';
import { type JournalCheckOptions, journalChecks } from './storage/conformance/journal-checks.js';
import { storedViewsChecks } from './storage/conformance/views-checks.js';

/** The checks of a journal that `openRecords` takes. `make` makes a new, empty place for each of them. */
export function journalConformance(
  make: () => Promise<JournalHome<Journal & StoredViews>>,
  options: JournalCheckOptions = {},
): Check[] {
  return [...journalChecks(make, options), ...storedViewsChecks(make)];
}

export type { Check, JournalCheckOptions, JournalHome };
