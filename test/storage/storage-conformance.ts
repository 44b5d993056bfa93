// The checks of a storage as tests. An adapter's own test file passes a way to open it.

import { describe, it } from 'vitest';
import { storageConformance } from '../../src/storage/conformance/storage-checks.js';

type Given = Parameters<typeof storageConformance>;

export function conformanceOf(name: string, ...[make, options]: Given): void {
  const checks = storageConformance(make, { refusesEvents: true, ...options });
  describe(`A storage — ${name}`, () => {
    it.each(checks.map((check) => [check.name, check] as const))('%s', (_, check) => check.run());
  });
}
