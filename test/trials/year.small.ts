// A small version of the trial `year`: the events that need no clock and no package of the system.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { SMALL, yearOf } from './year.js';

const TIMEOUT_MS = 180_000;

it(
  'A lost place, file or log ends the start with a sentence, and nothing more is lost than the page says',
  async () => {
    const folder = await openTemporaryFolder();
    const told: string[] = [];
    const say = (text: string) => void told.push(text);
    try {
      const findings = await yearOf({
        folder: folder.path,
        say,
        quick: true,
        isStill: true,
        events: SMALL,
        place: 'on a file',
      });
      expect(findings.filter(({ holds }) => !holds)).toEqual([]);
      expect(findings).toHaveLength(SMALL.length);
    } finally {
      await folder.remove();
    }
  },
  TIMEOUT_MS,
);
