// The runtime killed with SIGKILL under load: whatever was acknowledged is
// there afterwards, and the directory catches up.

import { expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { plain, workerOptions } from '../support/worker-host.js';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.js';

const WRITERS = 8;
const ACCOUNTS = ['amina', 'neema', 'juma'];
/** Acknowledged writes before the kill comes, in each round. */
const WRITES = [60, 90];

it('The Worker loses no acknowledged write when its runtime is killed under load', async () => {
  const folder = await openTemporaryFolder();
  const identity = await openIdentityStub();
  const settings = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY };
  const options = await workerOptions(folder.path, settings);
  const acknowledged = new Map(ACCOUNTS.map((owner) => [owner, new Map<string, number>()]));
  let running: WorkerProcess | undefined;
  try {
    let serial = 0;
    for (const writes of WRITES) {
      running = await startWorkerProcess(options);
      const { origin, kill } = running;
      let count = 0;
      let killing: Promise<void> | undefined;
      const write = async (writer: number) => {
        for (;;) {
          const owner = ACCOUNTS[(writer + count) % ACCOUNTS.length] ?? '';
          const number = ++serial;
          const response = await fetch(`${origin}/api/v1/team`, {
            ...plain({ headers: { Authorization: `Bearer ${tokenOf(owner)}` } }),
            method: 'POST',
            body: JSON.stringify({ ...VALID_BODY.team, number }),
          });
          const { data } = (await response.json()) as { data: { id: string } };
          if (response.status !== 201) throw new Error(`status ${response.status}`);
          acknowledged.get(owner)?.set(data.id, number);
          if (++count >= writes) killing ??= kill();
        }
      };
      // Each writer goes on until its connection breaks.
      const ends = await Promise.allSettled(Array.from({ length: WRITERS }, (_, i) => write(i)));
      await killing;
      expect(ends.map(({ status }) => status)).toEqual(Array(WRITERS).fill('rejected'));
      expect(count).toBeGreaterThanOrEqual(writes);
    }

    running = await startWorkerProcess(options);
    const { origin } = running;
    const get = async (path: string, headers: Record<string, string>) =>
      (await fetch(`${origin}/api/v1${path}`, plain({ headers }))).json() as Promise<{
        data: never[];
        meta: { pagination: { total: number } };
      }>;
    const totals = new Map<string, number>();
    for (const [owner, writes] of acknowledged) {
      const stored = new Map<string, number>();
      const headers = { Authorization: `Bearer ${tokenOf(owner)}` };
      for (let page = 1; page <= 5; page++) {
        const { data, meta } = await get(`/team?page_size=100&page=${page}`, headers);
        for (const { id, number } of data as { id: string; number: number }[]) {
          expect(stored.has(id)).toBe(false);
          stored.set(id, number);
        }
        totals.set(owner, meta.pagination.total);
      }
      expect([...writes].filter(([id, number]) => stored.get(id) !== number)).toEqual([]);
    }
    await eventually(async () => {
      const { data } = await get('/admin/accounts', { 'X-Service-Admin-Key': ADMIN_KEY });
      const counts = (data as { owner_sub: string; record_count: number }[])
        .filter(({ owner_sub }) => totals.has(owner_sub))
        .map(({ owner_sub, record_count }) => [owner_sub, record_count] as const);
      expect(new Map(counts)).toEqual(totals);
    });
  } finally {
    await running?.kill();
    await identity.close();
    await folder.remove();
  }
});
