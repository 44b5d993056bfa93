// The limits of an account on Workers. The default of 48,000,000 bytes is tried by the
// trial `workers`, in an isolate of 128 MB.

import { expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { openMaintained } from './maintained-service.js';

const RECORD = { ...VALID_BODY.customers, note: 'é'.repeat(400) };

it('An account is refused what goes beyond its bytes, also when its object is loaded again, and may always shrink', async () => {
  const on = await openMaintained({
    entry: new URL('./faulty-worker.ts', import.meta.url),
    settings: { ACCOUNT_MAX_BYTES: '3000' },
  });
  try {
    const post = (owner: string) => on.as(owner, 'POST', '/customers', RECORD);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await post('full')).status);
    expect(statuses).toEqual([201, 201, 201, 422, 422]);
    await fetch(`${on.origin}/kill?owner=full`);
    const { status, json } = await post('full');
    expect([status, json.error?.code]).toEqual([422, 'QUOTA_EXCEEDED']);
    expect((await post('neighbour')).status).toBe(201);
    const shorter = await on.as('full', 'PATCH', '/customers/CUS-0001', { note: 'short' });
    expect(shorter.status).toBe(200);
    expect((await on.as('full', 'DELETE', '/customers/CUS-0002')).status).toBe(200);
    expect((await post('full')).status).toBe(201);
  } finally {
    await on.close();
  }
});
