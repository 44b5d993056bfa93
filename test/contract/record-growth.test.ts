// The size that a record may reach. A body has its limit ("Request body rules"),
// but many bodies can go into one record. The limit of storage is the host's.

import { expect, it } from 'vitest';
import { tenantPath } from '../support/admin-paths.js';
import { onEveryStorage } from '../support/contract.js';

const MEBIBYTE = 1_048_576;

onEveryStorage('Growing a record', (service, { storage }) => {
  // An object of Workers also limits the record that a create stores, which may be longer than the body.
  const limitsCreates = storage === 'objects';
  const maxBytes = limitsCreates ? 1_990_000 : 2_097_152;
  const refusal = [422, 'VALIDATION_FAILED'];

  it("is possible by PATCH up to the host's limit; the PATCH beyond it is refused and changes nothing", async () => {
    const account = service.account();
    const { id } = await account.create('businesses', {});
    const grow = (part: number) =>
      account.patch(`/businesses/${id}`, { [`part${part}`]: 'x'.repeat(MEBIBYTE - 1_000) });
    let before = await account.get(`/businesses/${id}`);
    let reply = await grow(1);
    for (let part = 2; reply.status === 200 && part < 10; part++) {
      before = reply;
      reply = await grow(part);
    }
    expect([reply.status, reply.json.error?.code]).toEqual(refusal);
    expect(reply.json.error?.message).toContain('spread it');
    expect(reply.json.error?.message).toContain(String(maxBytes));
    const path = tenantPath(account.subject, 'businesses', id);
    const byOperator = await service.operator.patch(path, { more: 'x'.repeat(MEBIBYTE - 1_000) });
    expect(byOperator.status).toBe(422);
    const stored = JSON.stringify(before.json.data);
    expect(stored.length).toBeLessThanOrEqual(maxBytes);
    expect(stored.length).toBeGreaterThan(maxBytes - MEBIBYTE);

    // The record is the same in memory and, after a restart, from disk.
    for (const look of [async () => {}, () => service.restart()]) {
      await look();
      const after = (await account.get(`/businesses/${id}`)).json.data;
      expect(JSON.stringify(after) === stored).toBe(true);
    }
    expect((await account.patch(`/businesses/${id}`, { note: 'fits' })).status).toBe(200);
  });

  it('is possible by create beyond that limit where the host stores it, and a PATCH may then shrink the record', async () => {
    const account = service.account();
    const numbers = `[${'1e20,'.repeat(209_000)}1]`;
    const reply = await account.post('/businesses', `{"a":1,"numbers":${numbers}}`);
    if (limitsCreates) {
      expect([reply.status, reply.json.error?.code]).toEqual(refusal);
      const path = tenantPath(account.subject, 'businesses');
      const byOperator = await service.operator.post(path, `{"a":1,"numbers":${numbers}}`);
      expect([byOperator.status, byOperator.json.error?.code]).toEqual(refusal);
      expect((await account.get('/businesses')).json.data).toEqual([]);
      return;
    }
    expect(reply.status).toBe(201);
    expect(reply.text.length).toBeGreaterThan(4 * MEBIBYTE);
    const path = `/businesses/${reply.json.data.id}`;
    expect((await account.patch(path, { a: 2 })).status).toBe(200);
    expect((await account.patch(path, { a: 22 })).status).toBe(422);
    expect((await account.patch(path, { numbers: [] })).status).toBe(200);
  });
});
