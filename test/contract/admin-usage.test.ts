// Contract, "Admin endpoints", usage: "counts of records and serialized payload
// bytes by resource, recent creation counts, latest update time".

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AuditEvent, Usage } from '../../src/core/domain/api-schema.js';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import {
  type ContractService,
  createFor,
  describeContract,
  pagination,
} from '../support/contract.js';

const HOUR_MS = 3_600_000;
const NOTHING = {
  ...{ records: 0, payload_bytes: 0, last_updated_at: null },
  ...{ created_last_24_hours: 0, created_last_7_days: 0, created_last_30_days: 0 },
};

async function usage({ operator }: ContractService) {
  return (await operator.get<Usage>('/admin/usage')).json.data;
}

/** The record's JSON text as the service sent it. */
function recordText(replyText: string): string {
  return replyText.slice('{"data":'.length, replyText.lastIndexOf(',"meta":'));
}

describeContract('The usage', (service) => {
  it('counts the UTF-8 bytes of a record, with the escapes of its JSON', async () => {
    const name = `a "quote", \\, \n, \u0000 and \ud83d; \u007f\u0080\u07ff\u0800\u08ff\ud7ff\ue000 💇🏾‍♀️ 🧵`;
    const before = await usage(service);
    const created = await service.account().post('/customers', { name, phone: '1' });
    const bytes = Buffer.byteLength(recordText(created.text));
    const after = await usage(service);
    const [now, then] = [after.resources.customers, before.resources.customers];
    expect([now.payload_bytes - then.payload_bytes, now.records - then.records]).toEqual([
      bytes,
      1,
    ]);
    const grown = [after.payload_bytes - before.payload_bytes, after.record_count];
    expect(grown).toEqual([bytes, before.record_count + 1]);
    expect(after.resources.orders).toEqual(before.resources.orders);
  });

  it('follows a change of size and a deletion', async () => {
    const account = service.account();
    const before = await usage(service);
    const { id } = await account.create('services', VALID_BODY.services);
    const patched = await account.patch(`/services/${id}`, { note: 'x'.repeat(100) });
    const grown = async () => (await usage(service)).payload_bytes - before.payload_bytes;
    expect(await grown()).toBe(Buffer.byteLength(recordText(patched.text)));
    await account.delete(`/services/${id}`);
    expect(await grown()).toBe(0);
  });

  it("counts audit events, which only the operator's changes add", async () => {
    const before = (await usage(service)).audit_event_count;
    const account = service.account();
    await account.create('team', VALID_BODY.team);
    await createFor(service.operator, account.subject, 'team');
    expect((await usage(service)).audit_event_count).toBe(before + 1);
  });

  it('has the time of the latest create or PATCH of the remaining records', async () => {
    const [account, other] = [service.account(), service.account()];
    const latest = async () => (await usage(service)).resources.expenses.last_updated_at ?? '';
    const { id } = await account.create('expenses', VALID_BODY.expenses);
    const start = Date.now();
    await account.patch(`/expenses/${id}`, { method: 'Cash' });
    const end = Date.now();
    const before = await latest();
    expect(before).toBe(new Date(before).toISOString());
    expect(Date.parse(before)).toBeGreaterThanOrEqual(start);
    expect(Date.parse(before)).toBeLessThanOrEqual(end);
    await delay(2);
    const newer = await account.create('expenses', VALID_BODY.expenses);
    const between = await latest();
    await delay(2);
    const newest = await other.create('expenses', VALID_BODY.expenses);
    expect(new Set([before, between, await latest()]).size).toBe(3);
    await other.delete(`/expenses/${newest.id}`);
    expect(await latest()).toBe(between);
    await account.delete(`/expenses/${newer.id}`);
    expect(await latest()).toBe(before);
    await account.patch(`/expenses/${id}`, { method: 'Card' });
    expect(Date.parse(await latest())).toBeGreaterThan(Date.parse(before));
  });
});

describeContract(
  'The usage of a new database',
  (service) => {
    it('has zeros and no audit events, then the creations, but no updates, of 24 hours, 7 and 30 days', async () => {
      const data = await usage(service);
      const totals = { record_count: 0, payload_bytes: 0, audit_event_count: 0 };
      expect(data).toEqual({
        ...totals,
        resources: Object.fromEntries(COLLECTIONS.map((name) => [name, NOTHING])),
      });
      expect(Object.keys(data.resources)).toEqual([...COLLECTIONS]);
      const events = (await service.operator.get<AuditEvent[]>('/admin/audit')).json;
      expect([events.data, events.meta.pagination]).toEqual([[], pagination(1, 50, 0, 0)]);

      const account = service.account();
      const now = Date.now();
      const ages = [1, 23, 25, 6 * 24, 8 * 24, 29 * 24, 31 * 24].map((hours) => hours * HOUR_MS);
      const ids: string[] = [];
      for (const _ of ages) ids.push((await account.create('team', VALID_BODY.team)).id);
      await service.restartChanged(
        ...ages.map(
          (age, i) =>
            `update records set created_at = ${now - age}, updated_at = ${now - HOUR_MS - i}
            where id = '${ids[i]}'`,
        ),
      );
      const team = async () => (await usage(service)).resources.team;
      const created = { created_last_24_hours: 2, created_last_7_days: 4, created_last_30_days: 6 };
      const last_updated_at = new Date(now - HOUR_MS).toISOString();
      expect(await team()).toMatchObject({ records: 7, ...created, last_updated_at });
      // A PATCH does not count as a creation.
      await account.patch(`/team/${ids[6]}`, { role: 'Tailor' });
      expect(await team()).not.toMatchObject({ last_updated_at });
      expect(await team()).toMatchObject(created);
    });
  },
  { ownService: true, settings: { SAMPLE_RECORDS: 'off' } },
);
