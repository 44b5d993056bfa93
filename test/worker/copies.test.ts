// Every account copied into a bucket by the admin Worker, in several invocations, and
// one account put in again from a copy.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { keyOf } from '../../src/hosts/workers/copies/copy-format.js';
import { customersOf, pieceOf } from '../support/arriving-account.js';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import { type MaintainedService, OPERATOR, openMaintained } from './maintained-service.js';

const ACCOUNTS = ['amina', 'auth0|duka/ya pili', 'juma', 'neema', 'ñandú 💇'];

describe('Copies of all accounts', () => {
  let on: MaintainedService;

  beforeAll(async () => {
    on = await openMaintained({ settings: { BACKUP_INTERVAL_HOURS: '0' } });
    for (const owner of ACCOUNTS) {
      await on.as(owner, 'POST', '/businesses', { businessName: `shop of ${owner}` });
      for (let i = 0; i < 3; i++) await on.create(owner, `customer ${i} "é"`);
      await on.as(owner, 'PATCH', '/customers/CUS-0001', { note: 'changed later' });
      await on.as(owner, 'DELETE', '/customers/CUS-0003');
    }
    const operated = { ...VALID_BODY.orders, customFields: { a: [1, 'two\n', null] } };
    await on.operate('POST', `/admin/accounts/${encodeURIComponent('juma')}/orders`, operated);
    // The directory asks the sample account, which then has its rows.
    await on.operate('GET', '/admin/overview');
  });
  afterAll(() => on.close());

  it('are whole after as many invocations as it takes, and hold every account', async () => {
    expect((await on.maintain('GET', '/copies')).json.data).toEqual({ whole: [], round: null });
    const { copy } = await wholeCopy(on);
    const [listed] = (await on.maintain('GET', '/copies')).json.data.whole;
    // The sample account has rows, too.
    expect(listed).toMatchObject({
      copy,
      accounts: ACCOUNTS.length + 1,
      records: ACCOUNTS.length * 3 + 1 + SAMPLE_COUNT,
      audit_events: 1,
      changed_meanwhile: 0,
      missing: [],
    });
    const { files } = (await on.maintain('GET', `/copies/${copy}`)).json.data;
    expect(files.map(({ content }: { content: string }) => content)).toEqual([
      'accounts',
      'index',
      'audit',
    ]);
  });

  it('change nothing of an account that holds other records', async () => {
    const body = VALID_BODY.customers;
    // By the operator, so that the directory knows it at once.
    await on.operate('POST', '/admin/accounts/holds/customers', body);
    const { copy } = await wholeCopy(on);
    await on.create('holds', 'after the copy');
    const before = await contents(on, 'holds');
    const { status, json } = await on.maintain('POST', '/accounts/holds/restore', { copy });
    expect([status, json.error?.message]).toEqual([409, expect.stringContaining('other records')]);
    expect(await contents(on, 'holds')).toEqual(before);
  });

  it.each([
    ['a copy that is not there', '/accounts/amina/restore', { copy: '2020-01-01T00-00-00.000Z' }],
    ['a name that is no copy', '/accounts/amina/restore', { copy: '../round.json' }],
  ])('are not looked for under %s', async (_, path, body) => {
    const { status, json } = await on.maintain('POST', path, body);
    expect([status, json.error?.message]).toEqual([404, expect.stringContaining('no whole copy')]);
  });

  it('say of an account that is in none', async () => {
    const { copy } = await wholeCopy(on);
    const { status } = await on.maintain('POST', '/accounts/nobody/restore', { copy });
    expect(status).toBe(404);
    const { json } = await on.maintain('GET', `/copies/${copy}/accounts/juma`);
    expect(json.data).toMatchObject({ account: 'juma', records: 4, changed_meanwhile: false });
  });

  it('begin one at a time, and only for the operator', async () => {
    const begun = await on.copies('POST', '/copies');
    const { copy } = begun.json.data;
    expect(begun).toEqual({
      status: 200,
      json: { data: { ...NOTHING_YET, copy, begun: timeOf(copy) } },
    });
    expect(await on.copies('POST', '/copies')).toEqual({
      status: 409,
      json: { error: { message: `the round of the copy ${copy} is under way` } },
    });
    for (let i = 0; i < 3; i++) await on.trigger();
    // Not due, because the schedule is off.
    const { round, whole } = (await on.copies('GET', '/copies')).json.data;
    const accounts = ACCOUNTS.length + 2;
    expect(round).toMatchObject({
      copy,
      begun: timeOf(copy),
      stage: 'ended',
      failed: [],
      accounts,
    });
    expect(whole).toEqual((await on.maintain('GET', '/copies')).json.data.whole);
    expect(whole[0]).toMatchObject({ copy, accounts });
    await on.trigger();
    expect((await on.copies('GET', '/copies')).json.data.round).toEqual(round);
    for (const headers of [{}, { 'X-Service-Admin-Key': 'wrong' }]) {
      expect((await fetch(`${on.copiesOrigin}/copies`, { headers })).status).toBe(401);
    }
    const reply = await fetch(`${on.origin}/copies`, { headers: OPERATOR });
    expect(reply.status).toBe(404);
  });

  it.each(ACCOUNTS)('give %s back exactly, after it was erased', async (owner) => {
    const { copy } = await wholeCopy(on);
    const before = await contents(on, owner);
    const path = `/accounts/${encodeURIComponent(owner)}`;
    const audit = (await on.operate('GET', '/admin/audit?page_size=200')).json.data;
    expect((await on.maintain('DELETE', path)).status).toBe(200);
    const { status, json } = await on.maintain('POST', `${path}/restore`, { copy });
    expect([status, json.data]).toMatchObject([200, { owner_sub: owner, copy, state: 'whole' }]);
    expect(await contents(on, owner)).toEqual(before);
    const after = (await on.operate('GET', '/admin/audit?page_size=200')).json.data;
    expect(after[0]).toMatchObject({ action: 'restore', record_id: copy, owner_sub: owner });
    expect(after.slice(1)).toEqual(audit);
    // The number of the deleted customer is not given again.
    expect((await on.create(owner, 'new')).id).toBe('CUS-0004');
  });

  it('give an account back where a restore ended half-way, and the log says it at most twice', async () => {
    // More rows than a piece holds.
    const rows = customersOf('kubwa', 1_500);
    const path = '/records?account=kubwa';
    await on.maintain('PUT', path, await pieceOf(rows));
    const { copy } = await wholeCopy(on);
    await on.maintain('DELETE', '/accounts/kubwa');
    const half = await on.maintain('PUT', path, await pieceOf(rows, 0, 700));
    expect(half.json.data).toMatchObject({ state: 'arriving', records: 700 });
    const { announced } = await pieceOf(rows);
    const audited = async () =>
      (await on.operate('GET', '/admin/audit')).json.meta.pagination?.total ?? 0;
    const before = await audited();
    for (const more of [1, 2, 2]) {
      const facts = { owner_sub: 'kubwa', copy, state: 'whole', audit_events: 1 };
      expect(await on.maintain('POST', '/accounts/kubwa/restore', { copy })).toEqual({
        status: 200,
        json: { data: { ...facts, ...announced } },
      });
      expect(await audited()).toBe(before + more);
    }
    // A restore from another copy is another event.
    const later = await wholeCopy(on);
    await on.maintain('POST', '/accounts/kubwa/restore', { copy: later.copy });
    expect(await audited()).toBe(before + 3);
    const { data } = (await on.as('kubwa', 'GET', '/customers?page_size=2')).json;
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['CUS-1500', 'CUS-1499']);
  });

  it('that are damaged give nothing back, and the account is served once they are mended', async () => {
    await on.maintain('PUT', '/records?account=nusu', await pieceOf(customersOf('nusu', 3)));
    const { copy } = await wholeCopy(on);
    await on.maintain('DELETE', '/accounts/nusu');
    const bucket = await on.miniflare.getR2Bucket('COPIES', 'copies');
    const { files } = (await on.maintain('GET', `/copies/${copy}`)).json.data;
    const [records, index] = files.map(({ name }: { name: string }) => keyOf(copy, name));
    const read = async (key: string) => (await (await bucket.get(key))?.text()) ?? '';
    const [lines, accounts] = [await read(records), await read(index)];
    const restored = async () => {
      const { status, json } = await on.maintain('POST', '/accounts/nusu/restore', { copy });
      return [status, json.error?.message ?? json.data.records];
    };

    const line = accounts.split('\n').find((each) => each.includes('"account":"nusu"')) ?? '';
    const { offset, bytes } = JSON.parse(line).stretches[0];
    const first = Buffer.from(lines).indexOf('\n', offset) + 1 - offset;
    const cut = line.replace(`"bytes":${bytes}}`, `"bytes":${first}}`);
    expect(cut).not.toBe(line);
    await bucket.put(index, accounts.replace(line, cut));
    expect(await restored()).toEqual([409, expect.stringContaining('the copy ends before')]);
    await bucket.put(index, accounts);
    await bucket.delete(records);
    expect(await restored()).toEqual([500, expect.stringContaining('send it again')]);
    expect((await on.as('nusu', 'GET', '/customers')).status).toBe(503);
    await bucket.put(records, lines);
    expect(await restored()).toEqual([200, 3]);
    expect((await on.as('nusu', 'GET', '/customers')).json.data).toHaveLength(3);
  });
});

/** A round that has just begun, as the operator sees it. */
const NOTHING_YET = {
  stage: 'accounts',
  failed: [],
  accounts: 0,
  records: 0,
  record_bytes: 0,
  audit_events: 0,
  changed_meanwhile: 0,
};

/** When a copy of this name began. */
function timeOf(copy: string): string {
  return copy.replace(/T(..)-(..)-/, 'T$1:$2:');
}

/** Makes a copy now, whatever the schedule. */
async function wholeCopy(on: MaintainedService): Promise<{ copy: string; triggers: number }> {
  const { status, json } = await on.copies('POST', '/copies');
  if (status !== 200) throw new Error(JSON.stringify(json));
  for (let triggers = 1; ; triggers++) {
    await on.trigger();
    const { round } = (await on.copies('GET', '/copies')).json.data;
    if (round.stage === 'ended') return { copy: round.copy, triggers };
  }
}

/** Everything that the service shows of an account, with ids and order. */
async function contents(on: MaintainedService, owner: string) {
  const pages = [];
  for (const name of COLLECTIONS) {
    pages.push((await on.as(owner, 'GET', `/${name}?page_size=100`)).json.data);
  }
  return pages;
}
