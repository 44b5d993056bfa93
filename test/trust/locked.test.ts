// The trial of a file that is held by somebody else, once.

import { expect, it } from 'vitest';
import { lockedFile } from '../../scripts/trust/locked.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const TIMEOUT_MS = 60_000;

it(
  'A start waits for a file that is held, and says so where it is not let go',
  async () => {
    const folder = await openTemporaryFolder();
    const findings = await lockedFile({ folder: folder.path, say: () => {}, times: 1 }).finally(
      folder.remove,
    );
    for (const finding of findings) expect(finding).toMatchObject({ holds: true });
    expect(findings).toHaveLength(3);
  },
  TIMEOUT_MS,
);
