// An account is not erased while the directory cannot take its last audit events,
// which the operator keeps.

import { expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { openMaintained } from './maintained-service.js';

it('An account that the directory has not heard of stays whole, and can be erased later', async () => {
  const on = await openMaintained({ entry: new URL('./faulty-worker.ts', import.meta.url) });
  const directoryIsDown = (isDown: boolean) =>
    fetch(`${on.origin}/faults`, {
      method: 'POST',
      body: JSON.stringify({ directoryIsDown: isDown }),
    });
  const tenants = async () => (await on.operate('GET', '/admin/overview')).json.data.tenant_count;
  try {
    const before = await tenants();
    await directoryIsDown(true);
    const tenant = '/admin/accounts/neema/customers';
    expect((await on.operate('POST', tenant, VALID_BODY.customers)).status).toBe(201);
    expect((await on.maintain('DELETE', '/accounts/neema')).status).toBe(500);
    expect((await on.as('neema', 'GET', '/customers')).json.data).toHaveLength(1);
    await directoryIsDown(false);
    expect((await on.maintain('DELETE', '/accounts/neema')).status).toBe(200);
    expect((await on.as('neema', 'GET', '/customers')).json.data).toEqual([]);
    expect(await tenants()).toBe(before);
    const { data } = (await on.operate('GET', '/admin/audit')).json;
    expect(data).toMatchObject([{ action: 'create', owner_sub: 'neema' }]);
  } finally {
    await on.close();
  }
});
