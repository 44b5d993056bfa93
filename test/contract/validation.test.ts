// Contract, "Fields and validation by collection": what a create and the merged
// record of a PATCH must have, and what is not validated.

import { expect, it } from 'vitest';
import { COLLECTION_TABLE, type CollectionRow } from '../support/collection-table.js';
import { type Caller, describeContract, expectError, type Reply } from '../support/contract.js';

const NOT_A_TEXT = [null, '', 5, true, ['text'], { length: 1 }];
const NOT_POSITIVE = [null, 0, -1, '5', true, [], [5], {}];

/** JSON omits undefined values. */
const BAD_VALUES = COLLECTION_TABLE.flatMap((row) =>
  requiredOf(row).flatMap((property) =>
    [...(row.texts.includes(property) ? NOT_A_TEXT : NOT_POSITIVE), undefined].map((value) => {
      return { row, name: row.name, property, value };
    }),
  ),
);

const REQUIRED = COLLECTION_TABLE.flatMap((row) =>
  requiredOf(row).map((property) => ({ row, name: row.name, property })),
);

const hasRequired = (row: CollectionRow) => requiredOf(row).length > 0;

describeContract('Validation on create', (service) => {
  it.each(BAD_VALUES)('refuses $name when $property is $value', async (bad) => {
    const { row, property, value } = bad;
    const account = service.account();
    const reply = await account.post(`/${row.name}`, { ...row.body, [property]: value });
    expectNamed(reply, row, [property]);
    expect(await totalOf(account, row)).toBe(0);
  });

  it.each(COLLECTION_TABLE.filter(hasRequired))(
    'names every failing property of $name',
    async (row) => {
      const account = service.account();
      expectNamed(await account.post(`/${row.name}`, {}), row, requiredOf(row));
      const wrong = Object.fromEntries(requiredOf(row).map((property) => [property, null]));
      expectNamed(await account.post(`/${row.name}`, wrong), row, requiredOf(row));
      expect(await totalOf(account, row)).toBe(0);
    },
  );

  it.each(['-0', '1e-400', '-5e-324'])(
    'refuses an amount of %s, which is not above 0',
    async (number) => {
      const body = `{"customer":"A","service":"B","amount":${number}}`;
      const reply = await service.account().post('/orders', body);
      expect(reply.json.error?.code).toBe('VALIDATION_FAILED');
    },
  );
});

// The same values fail as for a create, which is tested with all of them above.
describeContract('Validation of the merged record of a PATCH', (service) => {
  it.each(COLLECTION_TABLE.filter(hasRequired))(
    'names every failing property of $name, and changes nothing',
    async (row) => {
      const account = service.account();
      const record = await account.create(row.name, row.body);
      const path = `/${row.name}/${record.id}`;
      const wrong = Object.fromEntries(requiredOf(row).map((property) => [property, null]));
      expectNamed(await account.patch(path, { ...wrong, note: 'x' }), row, requiredOf(row));
      expect((await account.get(path)).json.data).toStrictEqual(record);
    },
  );

  it.each(REQUIRED)('accepts $property of $name alone', async ({ row, property }) => {
    const account = service.account();
    const value = row.texts.includes(property) ? ' ' : 0.01;
    const record = await account.create(row.name, row.body);
    const reply = await account.patch(`/${row.name}/${record.id}`, { [property]: value });
    expect([reply.status, reply.json.data]).toStrictEqual([200, { ...record, [property]: value }]);
  });
});

describeContract('The service does not validate', (service) => {
  it.each(COLLECTION_TABLE.filter(({ numbers }) => numbers.length > 0))(
    'the size of a number of $name above 0',
    async (row) => {
      const [property = ''] = row.numbers;
      for (const number of ['5e-324', '0.5', '1.7976931348623157e308']) {
        const body = JSON.stringify({ ...row.body, [property]: 'N' });
        const reply = await service.account().post(`/${row.name}`, body.replace('"N"', number));
        expect(reply.status).toBe(201);
        expect(reply.json.data[property]).toBe(Number(number));
      }
    },
  );

  it('any property of a business', async () => {
    const account = service.account();
    const body = { businessName: 5, phone: null, primaryTemplate: {}, templateVersion: 'one' };
    const record = await account.create('businesses', body);
    expect(record).toMatchObject(body);
    expect((await account.patch(`/businesses/${record.id}`, { phone: '' })).status).toBe(200);
  });

  it.each([
    ['customers', { name: 'A', phone: 'not a phone', email: 5, location: [] }],
    ['team', { name: 'A', phone: '☎', role: 1 }],
    ['services', { name: 'A', price: 1, currency: 'no currency', active: 'yes', duration: -1 }],
    ['orders', { customer: 'nobody', service: 'none', amount: 5, paid: 500 }],
    ['orders', { customer: 'A', service: 'B', amount: 5, paid: -1, status: '' }],
    ['orders', { customer: 'A', service: 'B', amount: 5, paid: '5', method: 7, date: 'soon' }],
    ['orders', { customer: 'A', service: 'B', amount: 5, status: 'Anything ☕', customFields: 1 }],
    ['orders', { customer: 'A', service: 'B', amount: 5, status: { a: 1 }, assignee: null }],
    ['expenses', { description: 'A', category: 'no category', date: 'yesterday', amount: 1 }],
    ['expenses', { description: 'A', category: 'B', date: '2026-02-30T99:99', amount: 1 }],
  ])('the other properties: %s %j', async (collection, body) => {
    const account = service.account();
    const record = await account.create(collection, body);
    expect(record).toMatchObject(body);
    const reply = await account.patch(`/${collection}/${record.id}`, body);
    expect(reply.json.data).toStrictEqual(record);
  });
});

function requiredOf({ texts, numbers }: CollectionRow): string[] {
  return [...texts, ...numbers];
}

/** 422 with a message that names the failing properties and no other required one. */
function expectNamed(reply: Reply, row: CollectionRow, failing: readonly string[]): void {
  expectError(reply, 422, 'VALIDATION_FAILED');
  const words = reply.json.error?.message.split(/\W+/) ?? [];
  expect(requiredOf(row).filter((property) => words.includes(property))).toEqual([...failing]);
}

async function totalOf(account: Caller, row: CollectionRow): Promise<number> {
  const reply = await account.get(`/${row.name}`);
  return reply.json.meta.pagination.total;
}
