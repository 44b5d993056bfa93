// The audit log grows without end, so the cost of a page must not grow with it.

import { openLibsqlStorage } from 'service-management-api/libsql';
import { expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../../src/storage/audit-pages.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();

it.each([
  ['a page', LIST_EVENTS.replace('?1', '10').replace('?2', '1000')],
  ['the total', TOTAL_EVENTS],
])('The pages of the audit log find %s without reading the whole log', async (_, statement) => {
  const path = folder.at('service.db');
  await (await openLibsqlStorage({ path })).close();
  const plan = await runSql(path, `explain query plan ${statement}`);
  const steps = plan.map(({ detail }) => String(detail)).filter((step) => /audit_ev/.test(step));
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) expect(step).toMatch(/^SEARCH/);
});
