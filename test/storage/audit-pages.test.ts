// The audit log grows without end, so the cost of a page must not grow with it.

import { openLibsqlStorage } from 'service-management-api/libsql';
import { beforeEach, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../../src/storage/audit-pages.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();
let path: string;
beforeEach(async () => {
  path = folder.at('service.db');
  await (await openLibsqlStorage({ path })).close();
});

it.each([
  ['a page', LIST_EVENTS.replace('?1', '10').replace('?2', '1000')],
  ['the total', TOTAL_EVENTS],
])('The pages of the audit log find %s without reading the whole log', async (_, statement) => {
  const plan = await runSql(path, `explain query plan ${statement}`);
  const steps = plan.map(({ detail }) => String(detail)).filter((step) => /audit_ev/.test(step));
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) expect(step).toMatch(/^SEARCH/);
});

it('The pages of the audit log have no event twice and miss none after some were deleted by hand', async () => {
  await runSql(
    path,
    `insert into audit_events (event) with recursive
       numbers (n) as (select 1 union all select n + 1 from numbers where n < 100)
       select '{}' from numbers`,
    'delete from audit_events where id <= 10 or id between 60 and 75',
  );
  const storage = await openLibsqlStorage({ path });
  const seen: number[] = [];
  for (let page = 1; page <= 10; page++) {
    const { items, total } = await storage.auditEvents({ page, pageSize: 10 });
    // All but the oldest count, also those that were removed from the middle.
    expect(total).toBe(90);
    for (const item of items) seen.push(JSON.parse(item).id);
  }
  await storage.close();
  const ids = Array.from({ length: 90 }, (_, i) => 100 - i);
  expect(seen).toEqual(ids.filter((id) => id < 60 || id > 75));
});
