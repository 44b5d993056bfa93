// A small version of the trial `power`.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { tracerIsMissing } from './disk/trace.js';
import { powerLosses } from './power.js';

/** 24 states, and 12 of the control. */
const SHARE = 0.008;

it.runIf(tracerIsMissing() === undefined)(
  'Power loss loses nothing acknowledged, except with a build that does not sync each commit',
  async () => {
    const folder = await openTemporaryFolder();
    const findings = await powerLosses(folder.path, SHARE).finally(folder.remove);
    expect(findings.filter(({ holds }) => !holds)).toEqual([]);
    expect(findings).toHaveLength(2);
  },
  240_000,
);
