// The parts of the trial `http` that are quick, for `npm test`:
// hostile-clients.small.ts has the others.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { malformedFinding, mutatedFinding } from './http.js';
import { startOn } from './service/probed-service.js';
import type { Finding } from './trial.js';

let folder: TemporaryFolder;
let service: Awaited<ReturnType<typeof startOn>>;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  service = await startOn(folder.path);
});
afterAll(async () => {
  await service.close();
  await folder.remove();
});

/** Shows the findings that do not hold. */
function expectToHold(...findings: readonly Finding[]): void {
  expect(findings.filter(({ holds }) => !holds)).toEqual([]);
}

it('answers malformed and smuggled requests in the envelope, without a 5xx, and keeps running', async () => {
  expectToHold(await malformedFinding(service.running), await mutatedFinding(service.running, 200));
});
