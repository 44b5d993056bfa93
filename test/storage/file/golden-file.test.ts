// A file that c2be6d5d wrote, byte for byte: later releases open it, back it up and restore it.

import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { expect, it } from 'vitest';
import { restoreDatabase } from '../../../src/storage/backup/restore.js';
import { changes, loaded, row } from '../../../src/storage/conformance/check.js';
import { testFolder } from '../../support/test-folder.js';

const GOLDEN = fileURLToPath(new URL('written-by-c2be6d5d.db', import.meta.url));
const BODIES = [
  '{"id":"BIZ-0001","owner_sub":"amina","ownerSub":"amina","businessName":"Amina Salon"}',
  '{"id":"CUS-0001","owner_sub":"amina","name":"Neema 💇","phone":"+255713000001","note":"\\u0000 \\ud800"}',
  '{"id":"SRV-01","owner_sub":"juma","name":"Kusuka","price":15000,"currency":"TZS","active":true}',
  '{"id":"ORD-0001","owner_sub":"juma","customer":"Neema","service":"Kusuka","amount":15000.5,"paid":5000,"currency":"TZS","status":"Ready"}',
  '{"id":"ORD-0002","owner_sub":"juma","customer":"Zawadi","service":"Kusuka","amount":9,"status":null,"paid":0,"currency":"TZS"}',
  '{"id":"TM-0001","owner_sub":"juma","name":"Bibi","phone":"3"}',
  '{"id":"EXP-0001","owner_sub":"juma","description":"Mafuta","category":"stoo","date":"2026-01-02","amount":7}',
];

const folder = testFolder();

async function contentsOf(path: string) {
  const storage = await openLibsqlStorage({ path });
  try {
    const bodies = (await loaded(storage)).map(({ body }) => body);
    const { items, total } = await storage.auditEvents({ page: 1, pageSize: 1 });
    const newest = JSON.parse(items[0] ?? '');
    return { bodies, sequences: await storage.sequences(), total, newest };
  } finally {
    await storage.close();
  }
}

const WRITTEN = {
  bodies: BODIES,
  // The number of the deleted customer is not reused.
  sequences: { businesses: 1, customers: 2, services: 1, orders: 2, team: 1, expenses: 1 },
  total: 10,
  newest: expect.objectContaining({ id: 10, action: 'delete', record_id: 'CUS-0002' }),
};

it('A file of c2be6d5d opens with every record, number and event, and accepts commits', async () => {
  const path = folder.at('service.db');
  await copyFile(GOLDEN, path);
  expect(await contentsOf(path)).toEqual(WRITTEN);
  const storage = await openLibsqlStorage({ path });
  expect(storage.isNew || storage.wasKilled).toBe(false);
  expect(await storage.commit(changes({ puts: [row(9)] }))).toEqual({ status: 'committed' });
  await storage.close();
  expect((await contentsOf(path)).bodies).toEqual([...BODIES, row(9).body]);
});

it('A file of c2be6d5d is restored as a backup, with its accounts and their times listed', async () => {
  const path = folder.at('service.db');
  const { contents, owners } = await restoreDatabase(GOLDEN, path, Date.now());
  expect(contents).toEqual({ recordCount: 7, auditEventCount: 10 });
  expect(owners).toEqual([
    { subject: 'amina', oldest: 1_795_848_632_367 },
    { subject: 'juma', oldest: 1_795_848_632_531 },
  ]);
  const { bodies, sequences, newest } = await contentsOf(path);
  expect({ bodies, sequences }).toEqual({ bodies: BODIES, sequences: WRITTEN.sequences });
  expect(newest).toMatchObject({ action: 'restore' });
});
