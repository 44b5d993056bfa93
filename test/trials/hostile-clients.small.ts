// A small version of the trial `secrets`: the parts that need no long wait.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { settingsFinding } from './secrets/settings.js';
import { leakFinding } from './secrets.js';
import type { Finding } from './trial.js';

/** These tests start dozens of processes; a busy machine makes them slow, not wrong. */
const TIMEOUT_MS = 180_000;

/** Shows the findings that do not hold. */
function expectToHold(...findings: readonly Finding[]): void {
  expect(findings.filter(({ holds }) => !holds)).toEqual([]);
}

it(
  'tells no secret in any error, log line or audit row',
  async () => {
    const own = await openTemporaryFolder();
    expectToHold(await leakFinding(own.path, 1), await settingsFinding(own.path));
    await own.remove();
  },
  TIMEOUT_MS,
);
