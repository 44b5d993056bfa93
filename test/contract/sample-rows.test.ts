// Contract, "Common record rules": "a new empty database receives sample rows
// owned by the reserved subject local-preview; other users do not see them".

import { expect, it } from 'vitest';
import type { Account, AccountSummary, Overview } from '../../src/core/domain/api-schema.js';
import { COLLECTIONS, sequenceOfId, VALID_BODY } from '../support/collection-table.js';
import { describeContract, idsOf, type Row, tenantPath } from '../support/contract.js';

const SAMPLE_OWNER = 'local-preview';

describeContract('Sample rows', (service) => {
  it('are in every collection of local-preview, and visible to no other account', async () => {
    const samples = service.account(SAMPLE_OWNER);
    const stranger = service.account();
    for (const name of COLLECTIONS) {
      const own = await samples.get<Row[]>(`/${name}`);
      expect(own.json.data.length).toBeGreaterThan(0);
      for (const record of own.json.data) expect(record.owner_sub).toBe(SAMPLE_OWNER);
      expect((await stranger.get(`/${name}`)).json.data).toEqual([]);
      for (const id of idsOf(own)) {
        expect((await stranger.get(`/${name}/${id}`)).status).toBe(404);
      }
    }
    expect((await stranger.get('/payments')).json.data).toEqual([]);
  });

  it('are the only rows of a new database, and their owner is its only tenant', async () => {
    const { data } = (await service.operator.get<Overview>('/admin/overview')).json;
    const { record_count, resources } = (
      await service.operator.get<Account>(tenantPath(SAMPLE_OWNER))
    ).json.data;
    expect(data).toEqual({ tenant_count: 1, record_count, resources });
  });

  it('have the first ids; the next record continues after them', async () => {
    const samples = idsOf(await service.account(SAMPLE_OWNER).get('/customers'));
    expect(samples).toEqual(samples.map((_, i) => `CUS-000${samples.length - i}`));
    const { id } = await service.account(SAMPLE_OWNER).create('customers', VALID_BODY.customers);
    expect(sequenceOfId(id)).toBe(samples.length + 1);
  });
});

describeContract(
  'Without SAMPLE_RECORDS',
  (service) => {
    it('the first record of a new database gets the first id', async () => {
      const { id } = await service.account().create('customers', VALID_BODY.customers);
      expect(id).toBe('CUS-0001');
    });
  },
  { ownService: true, settings: { SAMPLE_RECORDS: 'off' } },
);

describeContract(
  'Sample rows with a limit of records per account',
  (service) => {
    it('are all added, whatever the limit', async () => {
      const { data } = (await service.operator.get<Account>(tenantPath(SAMPLE_OWNER))).json;
      expect(data.record_count).toBeGreaterThan(3);
      for (const name of COLLECTIONS) expect(data.resources[name]).toBeGreaterThan(0);
      expect((await service.account(SAMPLE_OWNER).post('/businesses', {})).status).toBe(422);
    });
  },
  { ownService: true, settings: { ACCOUNT_MAX_RECORDS: '3' } },
);

describeContract(
  'Sample rows of a used database',
  (service) => {
    it('are not added again after all were deleted, even if the database is empty', async () => {
      for (const { owner_sub } of (await service.operator.get<AccountSummary[]>('/admin/accounts'))
        .json.data) {
        for (const name of COLLECTIONS) {
          const path = tenantPath(owner_sub, name);
          for (const id of idsOf(await service.operator.get(path))) {
            await service.operator.delete(`${path}/${id}`);
          }
        }
      }
      await service.restart();
      const { data } = (await service.operator.get<Overview>('/admin/overview')).json;
      expect(data).toMatchObject({ tenant_count: 0, record_count: 0 });
      expect((await service.account(SAMPLE_OWNER).get('/customers')).json.data).toEqual([]);
    });
  },
  { ownService: true },
);
