// The audit log for people: filters, what one import wrote as one row, days of the console's time
// zone.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { AuditEvent } from '../../src/operator-client.js';
import { type AuditFilter, searchAudit } from '../../src/tools/console/audit-search.js';
import { formatsFor } from '../../src/tools/console/formats.js';
import { consoleOfFile, plainText } from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';

const SALON = 'auth0|saluni';
const ZONE = 'Africa/Dar_es_Salaam';
const { day: dayOf } = formatsFor(ZONE);

const on = consoleOfFile();

beforeAll(async () => {
  const body = JSON.stringify({ name: 'N', phone: '1' });
  const headers = { 'X-Service-Admin-Key': ADMIN_KEY, 'X-Service-Run': 'import-1' };
  const url = `${on.service.url}/admin/accounts/${encodeURIComponent(SALON)}/customers`;
  for (let made = 0; made < 230; made++) await fetch(url, { method: 'POST', headers, body });
  const { orders } = on.service.client.recordsOf(SALON);
  for (let made = 0; made < 3; made++)
    await orders.create({ customer: 'N', service: 's', amount: 1 });
});
function find(filter: AuditFilter, requestsMax: number, start?: { page: number; before: number }) {
  return searchAudit(on.service.client, filter, { requestsMax, rowsMax: 50, dayOf }, start);
}

describe('A search in the audit log', () => {
  it('finds events by each filter, and says how far back it looked', async () => {
    const found = await find({ collection: 'orders', account: SALON }, 2);
    expect(found).toMatchObject({ looked: 233, searchedBackTo: undefined });
    expect(found.rows).toHaveLength(3);
    expect((await find({ day: '2020-01-01' }, 2)).rows).toEqual([]);
    const today = dayOf(new Date().toISOString());
    expect((await find({ day: today }, 2)).rows.length).toBeGreaterThan(0);
    const { text } = await on.visitor.get('/audit?action=delete');
    expect(text).toContain('<p class="caption">0 events</p>');
  });

  it('ends after a fixed number of requests, and continues there although others write', async () => {
    const first = await find({ record: 'CUS-0005' }, 1);
    expect(first).toMatchObject({ rows: [], looked: 200, searchedBackTo: expect.any(String) });
    const { customers } = on.service.client.recordsOf('other');
    for (let made = 0; made < 3; made++) await customers.create({ name: 'New', phone: '1' });
    const rest = await find({ record: 'CUS-0005' }, 2, first.next);
    expect(rest).toMatchObject({ looked: 33, next: undefined });
    expect(rest.rows).toHaveLength(1);
  });

  it('stops when a page is full, and misses no event when it continues', async () => {
    const ids: string[] = [];
    let start: Awaited<ReturnType<typeof find>>['next'];
    do {
      const found = await find({ run: 'import-1' }, 3, start);
      ids.push(...found.rows.flat().map(({ record_id }) => record_id));
      start = found.next;
    } while (start !== undefined);
    expect(ids).toHaveLength(230);
    expect(new Set(ids).size).toBe(230);
  });
});

describe('What one import wrote', () => {
  it('is one row on each page, which leads to its events; changes by hand stay apart', async () => {
    const { text } = await on.visitor.get('/audit');
    expect(text).toContain('236 events');
    expect(text).toContain('<bdi>230 customers</bdi>');
    const rows = text.match(/data-label="Action"/g);
    expect(rows).toHaveLength(3 + 3 + 1);
    const [, link = ''] = /<a href="([^"]+)">230 records<\/a>/.exec(text) ?? [];
    const each = await on.visitor.get(plainText(link));
    expect(each.text.match(/data-label="Action"/g)).toHaveLength(50);
    expect((await on.visitor.get('/')).text).toMatch(/<a href="[^"]+">194 records or more<\/a>/);
  });
});

describe('A day', () => {
  const moment = '2026-01-31T22:30:00Z';

  it('is that of the time zone', () => {
    expect(dayOf(moment)).toBe('2026-02-01');
    expect(formatsFor('America/Lima').day(moment)).toBe('2026-01-31');
  });

  it('is found and shown by a Node that has English alone', async () => {
    // Such a Node falls back to English for every other locale.
    const { DateTimeFormat } = Intl;
    const spy = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function english(_, options) {
      return new DateTimeFormat('en-US', options);
    } as typeof DateTimeFormat);
    const { day, time } = formatsFor(ZONE);
    spy.mockRestore();
    expect([day(moment), time(moment)]).toEqual(['2026-02-01', '1 Feb 2026, 01:30']);
    const event = { id: 1, timestamp: moment } as AuditEvent;
    const list = async () => ({
      items: [event],
      pagination: { page: 1, page_size: 200, total: 1, total_pages: 1 },
    });
    const client = { audit: { list } } as never;
    const found = await searchAudit(
      client,
      { day: '2026-02-01' },
      { requestsMax: 2, rowsMax: 5, dayOf: day },
    );
    expect(found.rows).toEqual([[event]]);
  });

  it('is found without the pages after it', async () => {
    const PAGES = 40;
    const asked: number[] = [];
    const list = async ({ page = 1 }) => {
      asked.push(page);
      const at = (index: number) => Date.parse(moment) - 86_400_000 * ((page - 1) / 2) - index;
      const items = [0, 1].map((index) => ({
        id: 1_000 - 2 * page - index,
        timestamp: new Date(at(index)).toISOString(),
      }));
      return { items, pagination: { page, page_size: 2, total: 2 * PAGES, total_pages: PAGES } };
    };
    const limits = { requestsMax: 5, rowsMax: 50, dayOf };
    const found = await searchAudit({ audit: { list } } as never, { day: '2026-01-20' }, limits);
    expect(found.rows.length).toBeGreaterThan(0);
    expect(new Set(asked).size).toBeLessThan(PAGES / 3);
  });
});
