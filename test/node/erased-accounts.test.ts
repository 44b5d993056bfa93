// Erased accounts that an older state of the file has brought back, as `litestream restore`
// does, which knows no ledger: the next start names them.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createOperatorClient } from 'service-management-api/operator-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addToLedger } from '../../src/storage/erasures/ledger.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf, readyOf } from '../support/operations.js';
import type { ServerProcess } from '../support/server-process.js';

const ADMIN_API_KEY = 'a key of the operator with enough characters';

let service: NodeService;
let ledger: string;

beforeEach(async () => {
  service = await openNodeService();
  ledger = join(service.folder, 'erased.ndjson');
});
afterEach(() => service.close());

const started = () => service.start({ OPS_PORT: '0', ADMIN_API_KEY, ERASURE_LEDGER: ledger });

function recordsOf({ origin }: ServerProcess, subject: string) {
  const client = createOperatorClient({ baseUrl: `${origin}/api/v1`, adminKey: ADMIN_API_KEY });
  return client.recordsOf(subject);
}

async function warnings(server: ServerProcess): Promise<readonly string[]> {
  const { warnings } = await readyOf(operationsOf(server));
  // These services keep no backups.
  return warnings.filter((warning) => warning !== 'backup_not_configured');
}

/** A line of an erasure that was this long ago, or is yet to come. */
function note(subject: string, agoMs: number): Promise<void> {
  const erased = new Date(Date.now() - agoMs).toISOString();
  return addToLedger(ledger, { subject, erased, records: {} });
}

it('names at the start who came back, and warns until each is erased again', async () => {
  const first = await started();
  for (const subject of ['erin', 'anew', 'stays']) {
    await recordsOf(first, subject).team.create({ name: 'n', phone: '1' });
  }
  expect(await warnings(first)).toEqual([]);
  await first.stop();
  // As after a restore: erin was erased after her records were made, and they are there.
  await note('erin', -1_000);
  await note('anew', 365 * 24 * 3_600_000);
  await note('gone', -1_000);
  const second = await started();
  const line = second.log().find(({ event }) => event === 'erased_accounts_back');
  expect(line).toMatchObject({ level: 'warn', accounts: '["erin"]', count: 1, ledger });
  expect(line?.['hint']).toContain('service-management erase --account SUBJECT');
  expect(await warnings(second)).toEqual(['erased_accounts_back']);
  const { team } = recordsOf(second, 'erin');
  for (const { id } of (await team.list()).items) await team.delete(id);
  expect(await warnings(second)).toEqual([]);
  await second.stop();
  expect((await started()).output()).not.toContain('erased_accounts_back');
});

it('warns of a ledger that cannot be read, and starts', async () => {
  await mkdir(ledger);
  const server = await started();
  expect(server.output()).toMatch(/"event":"erasure_ledger_unreadable".*is unknown/);
  expect(await warnings(server)).toEqual(['erasure_ledger_unreadable']);
});
