// The checks of a journal as tests, and the rows and commits of other tests of
// storage. An adapter's own test file passes a way to open it.

import { describe, it } from 'vitest';
import type { Check, CheckedJournal, JournalHome } from '../../src/storage/conformance/check.js';
import {
  type JournalCheckOptions,
  journalChecks,
} from '../../src/storage/conformance/journal-checks.js';

export { changes, event, loaded, row, rows } from '../../src/storage/conformance/sample-changes.js';
export type TestedJournal = CheckedJournal;

export function conformanceOf(
  name: string,
  make: () => Promise<JournalHome>,
  options: JournalCheckOptions = {},
): void {
  describeChecks(`A journal — ${name}`, journalChecks(make, { refusesEvents: true, ...options }));
}

export function describeChecks(title: string, checks: readonly Check[]): void {
  describe(title, () => {
    it.each(checks.map((check) => [check.name, check] as const))('%s', (_, check) => check.run());
  });
}
