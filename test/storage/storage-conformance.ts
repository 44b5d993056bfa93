// The checks of a storage as tests, and the rows and commits of other tests of
// storage. An adapter's own test file passes a way to open it.

import { describe, it } from 'vitest';
import type { Check } from '../../src/storage/conformance/check.js';
import { storageChecks } from '../../src/storage/conformance/storage-checks.js';
import { storedViewsChecks } from '../../src/storage/conformance/views-checks.js';

export type { CheckedStorage } from '../../src/storage/conformance/check.js';
export { changes, event, loaded, row, rows } from '../../src/storage/conformance/sample-changes.js';

type Of<Checks extends (...given: never) => unknown> = Parameters<Checks>;

export function conformanceOf(name: string, ...[make, options]: Of<typeof storageChecks>): void {
  describeChecks(`A storage — ${name}`, storageChecks(make, { refusesEvents: true, ...options }));
}

/** The operator's views of a storage that answers them itself. */
export function viewsConformanceOf(name: string, ...[make]: Of<typeof storedViewsChecks>): void {
  describeChecks(`The operator's views of storage — ${name}`, storedViewsChecks(make));
}

function describeChecks(title: string, checks: readonly Check[]): void {
  describe(title, () => {
    it.each(checks.map((check) => [check.name, check] as const))('%s', (_, check) => check.run());
  });
}
