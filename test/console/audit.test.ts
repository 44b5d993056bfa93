// The audit log: filters, one row for each import, days in the contract's time zone.

import { beforeAll, expect, it } from 'vitest';
import { type AuditFilter, searchAudit } from '../../src/tools/console/audit-search.js';
import { dayOf, timeText } from '../../src/tools/console/formats.js';
import { consoleOfFile, plainText } from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';

const SALON = 'auth0|saluni';
const MOMENT = '2026-01-31T22:30:00Z';

const on = consoleOfFile();

beforeAll(async () => {
  const body = JSON.stringify({ name: 'N', phone: '1' });
  const headers = { 'X-Service-Admin-Key': ADMIN_KEY, 'X-Service-Run': 'import-1' };
  const url = `${on.service.url}/admin/accounts/${encodeURIComponent(SALON)}/customers`;
  for (let made = 0; made < 230; made++) await fetch(url, { method: 'POST', headers, body });
  const { orders } = on.service.client.recordsOf(SALON);
  const order = { customer: 'N', service: 's', amount: 1 };
  for (let made = 0; made < 3; made++) await orders.create(order);
});

const find = (filter: AuditFilter, pagesMax: number, page?: number) =>
  searchAudit(on.service.client, filter, { pagesMax, ...(page && { page }) });

it('A search finds events by each filter, and a day is one in Dar es Salaam', async () => {
  expect([dayOf(MOMENT), timeText(MOMENT)]).toEqual(['2026-02-01', '1 Feb 2026, 01:30']);
  const found = await find({ collection: 'orders', account: SALON }, 2);
  expect(found).toMatchObject({ eventsRead: 233, rest: undefined });
  expect(found.rows).toHaveLength(3);
  expect((await find({ action: 'delete' }, 2)).rows).toEqual([]);
  expect((await find({ day: '2020-01-01' }, 2)).rows).toEqual([]);
  const day = dayOf(new Date().toISOString());
  expect((await find({ day, collection: 'orders' }, 2)).rows).toHaveLength(3);
  expect((await on.visitor.get('/audit?action=delete')).text).toContain('>0 events</p>');
});

it('A search ends after a fixed number of requests, and resumes there despite concurrent writes', async () => {
  const first = await find({ record: 'CUS-0005' }, 1);
  expect(first).toMatchObject({ rows: [], eventsRead: 200, rest: { page: 2 } });
  const { customers } = on.service.client.recordsOf('other');
  for (let made = 0; made < 3; made++) await customers.create({ name: 'New', phone: '1' });
  const rest = await find({ record: 'CUS-0005' }, 2, first.rest?.page);
  // The three new events have shifted three others.
  expect(rest).toMatchObject({ eventsRead: 36, rest: undefined });
  expect(rest.rows).toHaveLength(1);
  // A search that has found enough stops earlier, and misses no event.
  const pages = [await find({ run: 'import-1' }, 3), await find({ run: 'import-1' }, 3, 2)];
  expect(pages.map((page) => page.rest?.page)).toEqual([2, undefined]);
  const ids = pages.flatMap((page) => page.rows.flat().map(({ record_id }) => record_id));
  expect(new Set(ids).size).toBe(230);
});

it('Each page groups an import into one row that links to its events; manual changes stay separate', async () => {
  const { text } = await on.visitor.get('/audit');
  expect(text).toContain('236 events');
  expect(text).toContain('<bdi>230 customers</bdi>');
  expect(text.match(/data-label="Action"/g)).toHaveLength(3 + 3 + 1);
  const [, link = ''] = /<a href="([^"]+)">230 records<\/a>/.exec(text) ?? [];
  const each = await on.visitor.get(plainText(link));
  expect(each.text.match(/data-label="Action"/g)).toHaveLength(194);
  expect(each.text).toContain('page=2">Search further back');
  expect((await on.visitor.get('/')).text).toMatch(/<a href="[^"]+">194 records or more<\/a>/);
});
