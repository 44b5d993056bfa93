// Accounts that have the same ids on Workers come together in one file.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customersOf, pieceOf } from '../support/arriving-account.js';
import { ADMIN_KEY } from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';
import { askMaintenance, moveHere, startMoveWorkers } from '../support/move-command.js';
import { contentsOf } from '../support/shop-file.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { plain } from '../support/worker-host.js';

it('The oldest record keeps its id, the others get numbers that no record had, and the list names them', async () => {
  const folder = await openTemporaryFolder();
  const workers = await startMoveWorkers(folder.path);
  try {
    // By subject the second one, by age the first one.
    for (const [owner, later] of [
      ['b, "duka"', 0],
      ['a', 1_000],
    ] as const) {
      const rows = customersOf(owner, 3).map(
        ([name, id, body, created, updated]) =>
          [name, id, body, created + later, updated + later] as const,
      );
      const path = `/records?account=${encodeURIComponent(owner)}`;
      await askMaintenance(workers.maintenance, 'PUT', path, await pieceOf(rows));
    }
    const order = { customer: 'CUS-0001', service: 'Kusuka', amount: 1, '7': 'kwanza' };
    for (const owner of ['b, "duka"', 'a']) {
      const created = await fetch(`${workers.service}/api/v1/orders`, {
        ...plain({ headers: { Authorization: `Bearer ${tokenOf(owner)}` } }),
        method: 'POST',
        body: JSON.stringify(order),
      });
      expect(created.status).toBe(201);
    }
    await fetch(`${workers.service}/api/v1/admin/accounts/a/orders/ORD-0001`, {
      method: 'PATCH',
      headers: { 'X-Service-Admin-Key': ADMIN_KEY },
      body: '{"paid":1}',
    });
    const file = join(folder.path, 'back.db');
    const list = join(folder.path, 'list.csv');
    const args = ['--from', workers.maintenance, '--to', file, '--renumbered', list];
    const { code, stdout, stderr } = await moveHere(args);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`4 records have new ids; the list is ${list}`);
    expect(await readFile(list, 'utf8')).toBe(
      [
        'account,collection,old_id,new_id',
        'a,customers,CUS-0001,CUS-0501',
        'a,customers,CUS-0002,CUS-0502',
        'a,customers,CUS-0003,CUS-0503',
        'a,orders,ORD-0001,ORD-0002',
        '',
      ].join('\n'),
    );
    const { accounts, events, sequences } = await contentsOf(file);
    const idsOf = (owner: string) => accounts.get(owner)?.map(([, id, body]) => [id, body]);
    expect(idsOf('b, "duka"')?.map(([id]) => id)).toEqual([
      'CUS-0001',
      'CUS-0002',
      'CUS-0003',
      'ORD-0001',
    ]);
    const [, , , [id, body] = []] = idsOf('a') ?? [];
    // The number of the member comes first, as in every object; the reference is text, and stays.
    expect([id, JSON.parse(String(body))]).toEqual([
      'ORD-0002',
      expect.objectContaining({
        id: 'ORD-0002',
        owner_sub: 'a',
        customer: 'CUS-0001',
        '7': 'kwanza',
      }),
    ]);
    expect(sequences).toMatchObject({ customers: 503, orders: 2 });
    // History keeps the old id.
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
      owner_sub: 'a',
      record_id: 'ORD-0001',
    });
  } finally {
    await workers.stop();
    await folder.remove();
  }
});
