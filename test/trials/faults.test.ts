// The trial of I/O faults, small: `npm run trust -- faults` is the long one.

import { describe, expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { tracerIsMissing } from './disk/trace.js';
import { faultsOf } from './faults.js';

/** The syncs are what matters most: a commit is whole in the log before its own. */
const CALLS = ['fsync', 'fdatasync'];
const COUNT = 8;
const TIMEOUT_MS = 120_000;

describe.runIf(tracerIsMissing() === undefined)('A failed sync', () => {
  it(
    'leaves memory and file the same, whatever comes next',
    async () => {
      const folder = await openTemporaryFolder();
      const told: string[] = [];
      const say = (text: string) => void told.push(text);
      const options = { folder: folder.path, say, quick: true, count: COUNT, calls: CALLS };
      const findings = await faultsOf(options).finally(folder.remove);
      // The third needs a file system of its own, which not everyone may mount.
      for (const finding of findings.slice(0, 2)) {
        expect(finding, told.join('\n')).toMatchObject({ holds: true });
      }
      expect(findings).toHaveLength(3);
    },
    TIMEOUT_MS,
  );
});
