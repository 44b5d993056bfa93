// Exports and erasures of an account, against a real service.

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  type Visitor,
} from '../support/console-visitor.js';
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
  it('has every record of the account, and a last line that counts them', async () => {
    const { headers, text } = await visitor.get(`${PATH}/export`);
    expect(headers['content-disposition']).toBe('attachment; filename="auth0_saluni.ndjson"');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { end } = lines.pop();
    expect(end).toMatchObject({ account: SALON, records: { customers: 230, orders: 3, team: 0 } });
    expect(lines).toHaveLength(233);
    expect(lines[0].collection).toBe('customers');
    expect(new Set(lines.map(({ record }) => record.id)).size).toBe(233);
    expect(text).not.toContain('Stays');
  });

  it('that breaks off is reported as an incomplete download', async () => {
    const meta = {
      request_id: 'r',
      timestamp: '',
      pagination: { page: 1, page_size: 200, total: 400, total_pages: 2 },
    };
    const row = (_: unknown, index: number) => ({ id: `CUS-${index}`, name: 'N', phone: '1' });
    const failing = createServer((request, response) => {
      const isSecond = request.url?.includes('page=2') ?? false;
      response.writeHead(isSecond ? 401 : 200, { 'Content-Type': 'application/json' });
      const error = { code: 'UNAUTHORIZED', message: 'm' };
      const data = Array.from({ length: 200 }, row);
      response.end(JSON.stringify(isSecond ? { error, meta } : { data, meta }));
    });
    const { origin, close } = await onLoopback(failing);
    const broken = await openConsole({ SERVICE_URL: `${origin}/api/v1` });
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const stranger = broken.visitor();
      await stranger.signIn(broken.codes[0] ?? '');
      await expect(stranger.get('/accounts/a/export')).rejects.toThrow('aborted');
      expect(broken.log()).toMatch(/"event":"console_export_broken_off".*ApiError: m/);
      expect(printed).not.toHaveBeenCalled();
    } finally {
      printed.mockRestore();
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
