// A small version of the trial `power`.

import { describe, expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { tracerIsMissing } from './disk/trace.js';
import { AFTER_FAILED_SYNCS, CONTROL, powerLosses } from './power.js';

/** Share of the long version's states: 24, and 12 of the control. */
const SHARE = 0.04;
const TIMEOUT_MS = 120_000;

describe.runIf(tracerIsMissing() === undefined)('Power loss', () => {
  it(
    'loses nothing acknowledged, except with a build that does not sync each commit',
    async () => {
      // Without the first part: the second one contains it.
      const parts = [AFTER_FAILED_SYNCS, CONTROL];
      const folder = await openTemporaryFolder();
      const options = { folder: folder.path, say: () => {}, share: SHARE, parts };
      const findings = await powerLosses(options).finally(folder.remove);
      expect(findings.filter(({ holds }) => !holds)).toEqual([]);
      expect(findings).toHaveLength(2);
    },
    TIMEOUT_MS,
  );
});
