// Small versions of the trials `json`, `http`, `provider`, `secrets` and `cpu`, for
// `npm test`: the parts that need no long wait.

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { costliestRequests } from './cpu.js';
import { malformedFinding, mutatedFinding } from './http.js';
import { edgeFinding, lyingFinding } from './json/lengths.js';
import { corpusFinding, memoryFinding } from './json.js';
import { misbehaviourFindings, startWith } from './provider.js';
import { settingsFinding } from './secrets/settings.js';
import { leakFinding } from './secrets.js';
import { startOn } from './service/probed-service.js';
import type { Finding } from './trial.js';

type Started = Awaited<ReturnType<typeof startOn>>;

// These tests start dozens of processes; a busy machine makes them slow, not wrong.
vi.setConfig({ testTimeout: 180_000 });

/** Only the trial judges times; a busy machine would fail them here. */
const NO_HURRY = { answerMs: 15_000, othersMs: 15_000 };

let folder: TemporaryFolder;
let service: Started;

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

it('stores every text of the corpus as it was sent or refuses it without a trace', async () => {
  expectToHold(await corpusFinding(service.running));
});

it('takes bodies up to 1 MiB to the byte, and lengths that lie store nothing', async () => {
  expectToHold(await edgeFinding(service.running), await lyingFinding(service.running));
});

it('keeps nothing of bodies that it refuses', async () => {
  expectToHold(await memoryFinding(service.running, 60));
});

it('answers malformed and smuggling requests in the envelope, without a 5xx, and lives', async () => {
  expectToHold(await malformedFinding(service.running), await mutatedFinding(service.running, 200));
});

it('answers in time whatever the identity provider does, and says no token', async () => {
  const own = await openTemporaryFolder();
  const { service: other, close } = await startWith(own.path);
  expectToHold(...(await misbehaviourFindings(other, 2, 1, NO_HURRY)));
  await close();
  await own.remove();
});

it('tells no secret in any error, log line or audit row', async () => {
  const own = await openTemporaryFolder();
  expectToHold(await leakFinding(own.path, 1), await settingsFinding(own.path));
  await own.remove();
});

it('answers every dear request as it should', async () => {
  const own = await openTemporaryFolder();
  const sizes = { records: 2_000, orders: 2_000, tenants: 2_000, large: 5, rounds: 1 };
  const findings = await costliestRequests(sizes, own.path);
  expect(findings.filter(({ found }) => found.includes('answered'))).toEqual([]);
  await own.remove();
});
