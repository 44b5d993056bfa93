// A small version of the trial `neighbours`: no request of another account
// fails and nothing of it is stored without an answer. Only the trial judges times.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { attackFindings } from './neighbours.js';

it('attacks by one account and by several fail no request of another', async () => {
  const folder = await openTemporaryFolder();
  try {
    const findings = await attackFindings({
      scale: 0.02,
      accounts: 8,
      folder: folder.path,
      judgesTimes: false,
      // Long enough for some reads, on a busy machine too.
      watchedMs: 600,
    });
    expect(findings.filter(({ holds }) => holds === false)).toEqual([]);
    expect(findings.length).toBeGreaterThan(7);
  } finally {
    await folder.remove();
  }
}, 180_000);
