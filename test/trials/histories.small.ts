// A small trial of concurrent histories, judged by an independent checker;
// `npm run trust -- histories` makes the large ones. Without Go it says so.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { goIsMissing } from './histories/checker.js';
import { smallHistories } from './histories/histories.js';

/** Some 25 s where nothing else runs. */
const TIMEOUT_MS = 240_000;
const missing = goIsMissing();

it.skipIf(missing !== undefined)(
  `What many clients at once are answered could have come from one after the other${missing === undefined ? '' : ` (not tried: ${missing})`}`,
  async () => {
    const folder = await openTemporaryFolder();
    try {
      const findings = await smallHistories({
        quick: true,
        only: '',
        folder: folder.path,
        say: () => {},
      });
      const failed = findings.filter(({ holds }) => holds !== true);
      expect(failed.map(({ fault, found }) => `${fault}: ${found}`)).toEqual([]);
      expect(findings).toHaveLength(5);
    } finally {
      await folder.remove();
    }
  },
  TIMEOUT_MS,
);
