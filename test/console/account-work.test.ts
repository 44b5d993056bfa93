// Exports, erasures and searches in the audit log, against a real service.

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AuditFilter, searchAudit } from '../../src/tools/console/audit-search.js';
import {
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  plainText,
  type Visitor,
} from '../support/console-visitor.js';
import { dataCommandHere } from '../support/data-command.js';
import { onLoopback } from '../support/loopback.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SALON = 'auth0|saluni';
const dayOf = (timestamp: string) => timestamp.slice(0, 10);
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

describe('A search in the audit log', () => {
  it('finds events by each filter, and says how far back it looked', async () => {
    const found = await find({ collection: 'orders', account: SALON }, 2);
    expect(found.events.map(({ record_id }) => record_id)).toHaveLength(3);
    expect(found.searchedBackTo).toBeUndefined();
    expect(found.looked).toBe(234);
    expect((await find({ action: 'delete' }, 2)).events).toEqual([]);
    expect((await find({ account: 'other' }, 2)).events).toHaveLength(1);
  });

  it('ends after a fixed number of requests, and continues from there', async () => {
    const first = await find({ record: 'CUS-0005' }, 1);
    expect(first.events).toEqual([]);
    expect(first.looked).toBe(200);
    expect(first.searchedBackTo).toBeDefined();
    // What comes meanwhile pushes the others onto later pages.
    const { customers } = service.client.recordsOf('other');
    for (let made = 0; made < 5; made++) await customers.create({ name: 'New', phone: '1' });
    const rest = await find({ record: 'CUS-0005' }, 2, first.next);
    expect(rest.events).toHaveLength(1);
    expect(rest.looked).toBe(34);
    expect(rest.next).toBeUndefined();
  });

  it('stops when a page is full, and misses no event when it continues', async () => {
    const ids: string[] = [];
    let start: Awaited<ReturnType<typeof find>>['next'];
    do {
      const found = await searchAudit(
        service.client,
        { account: SALON },
        { requestsMax: 3, foundMax: 50, dayOf },
        start,
      );
      ids.push(...found.events.map(({ record_id }) => record_id));
      start = found.next;
    } while (start !== undefined);
    expect(new Set(ids).size).toBe(233);
    expect(ids).toHaveLength(233);
  });

  it('is on the page; what one import wrote is one row, which leads to its events', async () => {
    const { text } = await visitor.get('/audit?collection=customers&action=create');
    expect(text).toContain('236 found; no other event matches');
    const [, link = ''] = /<a href="([^"]+)">230 records<\/a>/.exec(text) ?? [];
    const first = await visitor.get(plainText(link));
    expect(first.text.match(/class="action create"/g)).toHaveLength(50);
    expect(first.text).toMatch(/50 found among \d+ events, searched back to/);
    const [, further = ''] = /href="([^"]+)">Search further back/.exec(first.text) ?? [];
    expect(plainText(further)).toMatch(/newest=\d+&oldest=\d+&page=\d+&before=\d+$/);
    const none = await visitor.get('/audit?action=delete');
    expect(none.text).toContain('0 found; no other event matches');
  });

  it('of all events counts them, and shows an import as one row', async () => {
    const { text } = await visitor.get('/audit');
    expect(text).toContain('239 events');
    expect(text).toContain('>233 records</a>');
    // Where they took longer than a minute, the time of the first follows.
    expect(text).toMatch(/>3 orders, 230 customers[<;]/);
  });

  it('is one row among the latest changes of the overview, however many it wrote', async () => {
    const { text } = await visitor.get('/');
    expect(text).toContain('>233 records</a>');
    expect(text).toContain('All 239 changes');
  });

  function find(
    filter: AuditFilter,
    requestsMax: number,
    start?: { page: number; before: number },
  ) {
    return searchAudit(service.client, filter, { requestsMax, foundMax: 50, dayOf }, start);
  }
});

describe('An export', () => {
  it('has every record of the account, and a last line that counts them', async () => {
    const { headers, text } = await visitor.get(`${PATH}/export`);
    expect(headers['content-disposition']).toBe(
      'attachment; filename="auth0_saluni-account.ndjson"',
    );
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

  it('of a collection goes into another account with the import command', async () => {
    const { text } = await visitor.get(`${PATH}/customers/export`);
    const file = join(folder.path, 'customers.ndjson');
    await writeFile(file, text);
    const { code } = await dataCommandHere(
      [
        'import',
        file,
        '--account',
        'copy',
        '--into',
        'customers',
        '--reverse',
        '--connections',
        '1',
      ],
      { SERVICE_URL: service.url, ADMIN_API_KEY: 'the-operators-key-of-the-console-tests' },
    );
    expect(code).toBe(0);
    const { items } = await service.client.recordsOf('copy').customers.list({ page_size: 200 });
    expect(items[0]?.name).toBe('N229');
    expect(items).toHaveLength(200);
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
      await expect(stranger.get('/accounts/a/customers/export')).rejects.toThrow('aborted');
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
    while (page.text.includes('is being erased')) page = await visitor.get(`${PATH}/erase`);
    expect(page.text).toContain('The account is erased');
    expect(page.text).toContain('233 of 233 records are deleted');
    // Times as on every other page: half past midnight in Dar es Salaam.
    expect(page.text).toMatch(/The backup of 2 Mar 2026, 00:30 is the last one/);
    expect(page.text).not.toMatch(/\d{4}-\d\d-\d\dT\d\d/);
    await expect(service.client.accounts.read(SALON)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await service.client.accounts.read('other')).record_count).toBe(6);
    expect(await readFile(ledger, 'utf8')).toContain('"records":{');
    expect(await readFile(ledger, 'utf8')).not.toContain('saluni');
  });
});
