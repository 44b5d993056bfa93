// A small version of the trial `faults`.

import { describe, expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { tracerIsMissing } from './disk/trace.js';
import { faultsOf } from './faults.js';

/** The syncs matter most: only a sync makes a commit durable. */
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
      const options = {
        folder: folder.path,
        say,
        quick: true,
        only: '',
        count: COUNT,
        calls: CALLS,
      };
      const findings = await faultsOf(options).finally(folder.remove);
      for (const finding of findings) {
        expect(finding, told.join('\n')).toMatchObject({ holds: true });
      }
      expect(findings).toHaveLength(2);
    },
    TIMEOUT_MS,
  );
});
