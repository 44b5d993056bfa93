// Contract, "GET /admin/audit": the events of the operator's changes. "Record values are never
// stored." Which properties an event names: domain/record.

import { expect, it } from 'vitest';
import type { AuditEvent } from '../../src/core/domain/api-schema.js';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import {
  type ContractService,
  createFor,
  describeContract,
  type Envelope,
  tenantPath,
} from '../support/contract.js';

async function audit({ operator }: ContractService, query = ''): Promise<Envelope<AuditEvent[]>> {
  return (await operator.get<AuditEvent[]>(`/admin/audit${query}`)).json;
}

async function auditTotal(service: ContractService): Promise<number> {
  return (await audit(service)).meta.pagination.total;
}

describeContract('The audit log', (service) => {
  const { operator } = service;

  it.each(COLLECTIONS)('has one event for each change in %s, newest first', async (resource) => {
    const owner = service.account().subject;
    const before = await auditTotal(service);
    const start = Date.now();
    const { id } = await createFor(operator, owner, resource, { ...VALID_BODY[resource], x: 1 });
    const path = tenantPath(owner, resource, id);
    await operator.patch(path, { x: 2, y: 3 });
    await operator.patch(path, { x: 2 });
    await operator.delete(path);
    const end = Date.now();
    const { data, meta } = await audit(service);
    expect(meta.pagination.total).toBe(before + 4);
    const event = {
      ...{ actor: 'admin', resource, record_id: id, owner_sub: owner },
      ...{ id: expect.any(Number), timestamp: expect.any(String) },
    };
    expect(data.slice(0, 4)).toEqual([
      { ...event, action: 'delete', changed: [] },
      { ...event, action: 'update', changed: [] },
      { ...event, action: 'update', changed: ['x', 'y'] },
      { ...event, action: 'create', changed: [...Object.keys(VALID_BODY[resource]), 'x'] },
    ]);
    for (const { timestamp } of data.slice(0, 4)) {
      expect(timestamp).toBe(new Date(timestamp).toISOString());
      expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(start);
      expect(Date.parse(timestamp)).toBeLessThanOrEqual(end);
    }
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
  });

  it.each([
    ['import-7f3a', 'import-7f3a'],
    ['two words', undefined],
    ['x'.repeat(65), undefined],
  ])('stores the import or erasure %j of a request as %j', async (sent, run) => {
    const path = tenantPath(service.account().subject, 'customers');
    const headers = { 'X-Service-Run': sent };
    await operator.send('POST', path, { headers, body: VALID_BODY.customers });
    expect((await audit(service)).data[0]?.run).toBe(run);
  });

  it("has no event for an account's own change, a read or a failure", async () => {
    const account = service.account();
    const { id } = await createFor(operator, account.subject, 'team');
    const before = await auditTotal(service);
    const own = await account.create('team', VALID_BODY.team);
    await account.patch(`/team/${own.id}`, { role: 'x' });
    await account.delete(`/team/${own.id}`);
    const list = tenantPath(account.subject, 'team');
    for (const path of ['/admin/audit', `${list}/${id}`]) await operator.get(path);
    const failures = [
      await operator.post(list, {}),
      await operator.post(list, 'no json'),
      await operator.patch(`${list}/${id}`, { name: '' }),
      await operator.patch(`${list}/TM-9999999`, { name: 'x' }),
      await operator.delete(`${list}/TM-9999999`),
      await service.anonymous.delete(`${list}/${id}`),
    ];
    expect(failures.map(({ status }) => status)).toEqual([422, 400, 422, 404, 404, 401]);
    expect(await auditTotal(service)).toBe(before);
  });

  it('never contains a value of a record, whether old, new, refused or deleted', async () => {
    const owner = service.account().subject;
    const canary = 'canary-5c1e';
    const body = { name: canary, phone: canary, deep: { list: [canary] } };
    const { id } = await createFor(operator, owner, 'customers', body);
    const path = tenantPath(owner, 'customers', id);
    await operator.patch(path, { name: `${canary}-2`, deep: canary });
    await operator.patch(path, { name: '', phone: canary });
    await operator.delete(path);
    const { text } = await operator.get('/admin/audit?page_size=200');
    expect(text).toContain(id);
    expect(text).not.toContain(canary);
  });

  it('is the same after a restart, and continues with higher ids', async () => {
    const owner = service.account().subject;
    await createFor(operator, owner, 'team');
    const before = (await audit(service)).data;
    await service.restart();
    expect((await audit(service)).data).toEqual(before);
    await createFor(operator, owner, 'team');
    expect((await audit(service)).data[0]?.id).toBeGreaterThan(before[0]?.id ?? 0);
  });
});
