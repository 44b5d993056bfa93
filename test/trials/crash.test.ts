// A small version of the trial `crash`, for `npm test`.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { crashCycles } from './crash.js';

const CYCLES = 3;
const TIMEOUT_MS = 120_000;

it(
  'Nothing acknowledged is lost where the server is killed, under load, while stopping, while starting',
  async () => {
    const folder = await openTemporaryFolder();
    const options = { folder: folder.path, say: () => {}, cycles: CYCLES };
    const findings = await crashCycles(options).finally(folder.remove);
    expect(findings.filter(({ holds }) => !holds)).toEqual([]);
    expect(findings).toHaveLength(1);
  },
  TIMEOUT_MS,
);
