// Exports and erasures of an account, against a real service.

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN_KEY,
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  type Visitor,
} from '../support/console-visitor.js';
import { dataCommandHere } from '../support/data-command.js';
import { onLoopback } from '../support/loopback.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SALON = 'auth0|saluni';
const PATH = '/accounts/auth0%7Csaluni';

let service: ConsoleService;
let console_: OpenConsole;
let visitor: Visitor;
let folder: TemporaryFolder;
let ledger: string;

beforeAll(async () => {
  service = await openService();
  folder = await openTemporaryFolder();
  ledger = join(folder.path, 'backups-erased.ndjson');
  await writeFile(join(folder.path, 'service-2026-03-01T21-30-00.000Z.db'), '');
  console_ = await openConsole(
    { SERVICE_URL: service.url },
    { erasure: { ledger, backups: { folder: folder.path, intervalHours: 24, keep: 7 } } },
  );
  visitor = await console_.signedIn();
  const { customers, orders } = service.client.recordsOf(SALON);
  for (let made = 0; made < 230; made++) await customers.create({ name: `N${made}`, phone: '1' });
  for (let made = 0; made < 3; made++) {
    await orders.create({ customer: 'N1', service: 's', amount: 100 + made });
  }
  await service.client.recordsOf('other').customers.create({ name: 'Stays', phone: '1' });
});
afterAll(async () => {
  await console_?.close();
  await service?.close();
  await folder?.remove();
});

describe('An export', () => {
  it('is a zip of CSV files, of which an import makes the same records', async () => {
    const { headers, bytes } = await visitor.get(`${PATH}/export`);
    expect(headers['content-disposition']).toBe('attachment; filename="auth0_saluni.zip"');
    const files = unzipSync(bytes);
    expect(Object.keys(files).sort()).toEqual(
      ['audit', 'customers', 'orders', 'payments'].map((name) => `${name}.csv`),
    );
    expect(strFromU8(files['payments.csv'] ?? new Uint8Array())).toContain('PAY-');
    for (const name of ['customers', 'orders'] as const) {
      const csv = join(folder.path, `${name}.csv`);
      await writeFile(csv, files[`${name}.csv`] ?? '');
      const words = ['import', csv, '--account', 'back', '--into', name, '--in-order'];
      const settings = { SERVICE_URL: service.url, ADMIN_API_KEY: ADMIN_KEY };
      expect(await dataCommandHere(words, settings)).toMatchObject({ code: 0 });
      expect(await contents('back', name)).toEqual(await contents(SALON, name));
    }
  });

  it('that can’t read every record begins no download', async () => {
    const pagination = { page: 1, page_size: 200, total: 400, total_pages: 2 };
    const meta = { request_id: 'r', timestamp: '', pagination };
    const data = Array.from({ length: 200 }, (_, index) => ({ id: `CUS-${index}` }));
    const failing = createServer((request, response) => {
      const isSecond = request.url?.includes('page=2') ?? false;
      response.writeHead(isSecond ? 401 : 200, { 'Content-Type': 'application/json' });
      const error = { code: 'UNAUTHORIZED', message: 'm' };
      response.end(JSON.stringify({ meta, ...(isSecond ? { error } : { data }) }));
    });
    const { origin, close } = await onLoopback(failing);
    const broken = await openConsole({ SERVICE_URL: `${origin}/api/v1` });
    try {
      const { status, text } = await (await broken.signedIn()).get('/accounts/a/export');
      expect([status, text]).toEqual([502, expect.stringContaining('refused the admin key')]);
    } finally {
      await broken.close();
      await close();
    }
  });

  it('of an unknown account sends no file', async () => {
    expect((await visitor.get('/accounts/nobody/export')).status).toBe(404);
  });
});

describe('An erasure', () => {
  it('needs the subject, typed exactly', async () => {
    for (const subject of ['', 'auth0|salun', `${SALON} `]) {
      const visit = await visitor.submit(`${PATH}/erase`, { subject });
      expect(visit.status).toBe(422);
      expect(visit.text).toContain('Nothing was erased');
    }
    expect((await service.client.accounts.read(SALON)).record_count).toBe(233);
  });

  it('deletes every record of the account and of no other, and writes a line to the ledger', async () => {
    const visit = await visitor.submit(`${PATH}/erase`, { subject: SALON });
    expect(visit.headers['location']).toBe(`${PATH}/erase`);
    let page = await visitor.get(`${PATH}/erase`);
    while (page.text.includes('<strong>Erasing.')) page = await visitor.get(`${PATH}/erase`);
    expect(page.text).toContain('The account is erased');
    expect(page.text).toContain('233 of 233 records deleted');
    // Times as on every other page: half past midnight in Dar es Salaam.
    expect(page.text).toMatch(/of 2 Mar 2026, 00:30, is removed/);
    expect(page.text).not.toMatch(/\d{4}-\d\d-\d\dT\d\d/);
    await expect(service.client.accounts.read(SALON)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await service.client.accounts.read('other')).record_count).toBe(1);
    expect(await readFile(ledger, 'utf8')).toContain('"records":{');
    expect(await readFile(ledger, 'utf8')).not.toContain('saluni');
  });
});

/** An account's records without what the service sets. */
async function contents(account: string, name: 'customers' | 'orders'): Promise<object[]> {
  const records: object[] = [];
  for await (const record of service.client.recordsOf(account)[name].all()) {
    records.push({ ...record, id: '', owner_sub: '' });
  }
  return records;
}
