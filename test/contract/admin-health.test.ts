// Contract, "GET /admin/health": "verifies database connectivity". If the database
// is lost while the service runs, the answer is 200 and `status` is `degraded`.

import { join } from 'node:path';
import { createHandler, openRecords } from 'service-management-api';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/contract.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

it('reports a database that no longer answers, while reads continue', async () => {
  const folder = await openTemporaryFolder();
  const storage = await openLibsqlStorage({ path: join(folder.path, 'service.db') });
  let now = 1_000_000;
  const handler = createHandler({
    records: await openRecords({ storage }),
    adminKey: ADMIN_KEY,
    clock: () => now,
  });
  const get = async (path: string) => {
    const response = await handler(
      new Request(`http://localhost/api/v1/admin${path}`, {
        headers: { 'X-Service-Admin-Key': ADMIN_KEY },
      }),
    );
    return { status: response.status, data: (await response.json()).data };
  };
  const healthy = { identity_provider_configured: false, admin_configured: true };
  expect((await get('/health')).data).toEqual({
    status: 'ok',
    database: 'ok',
    uptime_seconds: 0,
    ...healthy,
  });

  await storage.close();
  now += 61_900;
  expect(await get('/health')).toEqual({
    status: 200,
    data: { status: 'degraded', database: 'unavailable', uptime_seconds: 61, ...healthy },
  });
  expect((await get('/overview')).status).toBe(200);
  await folder.remove();
});
