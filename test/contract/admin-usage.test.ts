// Contract, "Admin endpoints", usage: "counts of records and serialized payload
// bytes by resource, recent creation counts, latest update time".

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFor, idsOf, tenantPath } from '../support/admin-paths.js';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import { type ContractService, describeContract } from '../support/contract.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;

async function usage({ operator }: ContractService) {
  return (await operator.get('/admin/usage')).json.data;
}

/** The record's JSON text as the service sent it. */
function recordText(replyText: string): string {
  return replyText.slice('{"data":'.length, replyText.lastIndexOf(',"meta":'));
}

describeContract(
  'Admin usage',
  (service) => {
    const { operator } = service;

    it('has exactly the documented properties for every resource', async () => {
      const data = await usage(service);
      expect(Object.keys(data).sort()).toEqual([
        'audit_event_count',
        'payload_bytes',
        'record_count',
        'resources',
      ]);
      expect(Object.keys(data.resources)).toEqual([...COLLECTIONS]);
      for (const name of COLLECTIONS) {
        expect(Object.keys(data.resources[name]).sort()).toEqual([
          'created_last_24_hours',
          'created_last_30_days',
          'created_last_7_days',
          'last_updated_at',
          'payload_bytes',
          'records',
        ]);
      }
    });

    it.each([
      ['ASCII', 'plain'],
      ['two-byte characters', 'Ñandú é ß'],
      ['three-byte characters', '日本語 ₦ \u2028 \uffff'],
      ['the bounds of one, two and three bytes', '\u007f\u0080\u07ff\u0800\u08ff\ud7ff\ue000'],
      ['emoji', '💇🏾‍♀️ 🧵'],
      ['escapes', 'a "quote", a \\ and a\nline, \u0000 and \u007f'],
      ['a lone surrogate', 'half \ud83d'],
    ])('counts the UTF-8 bytes of a record with %s', async (_, name) => {
      const account = service.account();
      const before = await usage(service);
      const created = await account.post('/customers', { ...VALID_BODY.customers, name });
      const bytes = Buffer.byteLength(recordText(created.text));
      await eventually(async () => {
        const after = await usage(service);
        expect(after.payload_bytes - before.payload_bytes).toBe(bytes);
        const [now, then] = [after.resources.customers, before.resources.customers];
        expect(now.payload_bytes - then.payload_bytes).toBe(bytes);
        expect(now.records - then.records).toBe(1);
        expect(after.record_count - before.record_count).toBe(1);
        expect(after.resources.orders).toEqual(before.resources.orders);
      });
    });

    it('follows a change of size and a deletion', async () => {
      const account = service.account();
      const before = await usage(service);
      const { id } = await account.create('services', VALID_BODY.services);
      const patched = await account.patch(`/services/${id}`, { note: 'x'.repeat(100) });
      const bytes = Buffer.byteLength(recordText(patched.text));
      const grown = async () => (await usage(service)).payload_bytes - before.payload_bytes;
      await eventually(async () => expect(await grown()).toBe(bytes));
      await account.delete(`/services/${id}`);
      await eventually(async () => expect(await grown()).toBe(0));
    });

    it("counts audit events, which only the operator's changes add", async () => {
      const before = (await usage(service)).audit_event_count;
      const account = service.account();
      await account.create('team', VALID_BODY.team);
      await createFor(operator, account.subject, 'team');
      expect((await usage(service)).audit_event_count).toBe(before + 1);
    });

    it('reports the time of the latest create or PATCH of the records that are left', async () => {
      const account = service.account();
      const { id } = await account.create('expenses', VALID_BODY.expenses);
      const start = Date.now();
      await account.patch(`/expenses/${id}`, { method: 'Cash' });
      const end = Date.now();
      await eventually(async () => {
        const { last_updated_at } = (await usage(service)).resources.expenses;
        expect(last_updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Date.parse(last_updated_at)).toBeGreaterThanOrEqual(start);
        expect(Date.parse(last_updated_at)).toBeLessThanOrEqual(end);
      });
      const latest = async () => (await usage(service)).resources.expenses.last_updated_at;
      const before = await latest();
      await delay(2);
      const newest = await account.create('expenses', VALID_BODY.expenses);
      await eventually(async () => expect(await latest()).not.toBe(before));
      await account.delete(`/expenses/${newest.id}`);
      await eventually(async () => expect(await latest()).toBe(before));
    });
  },
  { ownService: true },
);

describeContract(
  'Admin usage over time',
  (service) => {
    const { operator } = service;

    it('counts creations of the last 24 hours, 7 days and 30 days, and not updates', async () => {
      await deleteSamples(service);
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
      await account.get('/team');
      const created = { created_last_24_hours: 2, created_last_7_days: 4, created_last_30_days: 6 };
      const last_updated_at = new Date(now - HOUR_MS).toISOString();
      await eventually(async () =>
        expect(await team()).toMatchObject({ records: 7, ...created, last_updated_at }),
      );
      // A PATCH does not count as a creation.
      await account.patch(`/team/${ids[6]}`, { role: 'Tailor' });
      await eventually(async () => expect(await team()).not.toMatchObject({ last_updated_at }));
      expect(await team()).toMatchObject(created);
    });

    it('steps back to the latest update of what is left when the newest record is deleted', async () => {
      await deleteSamples(service);
      const account = service.account();
      const latest = async () => (await usage(service)).resources.customers.last_updated_at;
      await account.create('customers', VALID_BODY.customers);
      await eventually(async () => expect(await latest()).not.toBeNull());
      const before = await latest();
      await delay(5);
      const { id } = await account.create('customers', VALID_BODY.customers);
      await eventually(async () => expect(await latest()).not.toBe(before));
      await account.delete(`/customers/${id}`);
      await eventually(async () => expect(await latest()).toBe(before));
    });

    it('has zeros and no update time for a resource without records', async () => {
      await deleteSamples(service);
      expect((await usage(service)).resources.orders).toEqual({
        records: 0,
        payload_bytes: 0,
        created_last_24_hours: 0,
        created_last_7_days: 0,
        created_last_30_days: 0,
        last_updated_at: null,
      });
    });

    async function deleteSamples({ operator: by }: ContractService): Promise<void> {
      for (const name of COLLECTIONS) {
        for (const id of idsOf(await by.get(tenantPath('local-preview', name)))) {
          await operator.delete(tenantPath('local-preview', name, id));
        }
      }
    }
  },
  { ownService: true },
);
