// Contract, "Common record rules", "Identifiers" and the defaults of "Fields and validation by
// collection": what a create stores and returns.

import { expect, it } from 'vitest';
import { COLLECTION_TABLE, sequenceOfId } from '../support/collection-table.js';
import { createFor, describeContract } from '../support/contract.js';

const CUSTOMER = { name: 'Asha Mrema', phone: '+255 712 000 111' };
/** Each property that has a default, sent with values that do not trigger the default. */
const DEFAULTS_SENT = COLLECTION_TABLE.flatMap((row) =>
  Object.keys(row.defaults).flatMap((property) =>
    [null, '', [7]].map((value) => ({ row, name: row.name, property, value })),
  ),
);

describeContract('A create', (service) => {
  it('keeps unknown properties, including created_at and updated_at', async () => {
    const unknown = {
      ...{ nothing: null, flag: false, count: -1.5e-7, empty: '', list: [1, [null, {}], 'x'] },
      ...{ nested: { a: { b: { c: [{ d: 1 }] } } }, '': 'the empty name' },
      ...{ 'with space and "quote" and \\': 1, created_at: 'long ago', updated_at: 12 },
    };
    const account = service.account();
    const record = await account.create('customers', { ...CUSTOMER, ...unknown });
    expect(record).toMatchObject(unknown);
    expect((await account.get(`/customers/${record.id}`)).json.data).toStrictEqual(record);
    const patched = await account.patch(`/customers/${record.id}`, { updated_at: null });
    expect(patched.json.data).toStrictEqual({ ...record, updated_at: null });
  });

  it.each(DEFAULTS_SENT)(
    'keeps $property of $name if the caller sends $value',
    async ({ row, property, value }) => {
      const body = { ...row.body, [property]: value };
      const record = await service.account().create(row.name, body);
      expect(record).toMatchObject({ ...row.defaults, [property]: value });
    },
  );

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toJSON'])(
    'keeps a property named %s, and so does a PATCH',
    async (name) => {
      const account = service.account();
      const value = '{"polluted":true,"prototype":{"polluted":true}}';
      // Sent as text, because `__proto__` in an object literal would set the prototype.
      const created = await account.post('/businesses', `{"a":1,"${name}":${value}}`);
      expect(created.status).toBe(201);
      expect(ownText(created.json.data, name)).toBe(value);
      const path = `/businesses/${created.json.data.id}`;
      const patched = await account.patch(path, `{"${name}":{"again":[1]}}`);
      expect(ownText(patched.json.data, name)).toBe('{"again":[1]}');
      expect(ownText((await account.get(path)).json.data, name)).toBe('{"again":[1]}');
      const { id } = await account.create('businesses', {});
      const added = await account.patch(`/businesses/${id}`, `{"${name}":7}`);
      expect(ownText(added.json.data, name)).toBe('7');
    },
  );

  it('applies defaults and owner even if __proto__ has the same names', async () => {
    const account = service.account();
    const order = '"customer":"A","service":"B","amount":1';
    const inherited = '{"status":"Gone","paid":9,"id":"ORD-1","owner_sub":"x"}';
    const reply = await account.post('/orders', `{${order},"__proto__":${inherited}}`);
    expect(reply.json.data).toMatchObject({ status: 'New', paid: 0, owner_sub: account.subject });
    expect((await account.get('/orders?status=New')).json.meta.pagination.total).toBe(1);
    expect((await account.get('/orders?status=Gone')).json.meta.pagination.total).toBe(0);
  });

  it.each([
    ['Swahili and accents', 'Ng’ombe, café, Ærø, ß, İstanbul'],
    ['other scripts', '日本語 العربية हिन्दी Ελληνικά'],
    ['characters outside the basic plane', '💇🏾‍♀️ 𝒳 🇹🇿'],
    ['combining marks, not normalised', 'e\u0301 versus \u00e9'],
    ['control characters and NUL', 'a\u0000b\u0001c\td\ne\u001f\u007f\u0085'],
    ['separators and marks', '\u2028\u2029\u200b\u202e\ufeff\ufffe\uffff'],
    ['lone surrogates', 'a\ud800b\udc00c'],
    ['apparent escapes', '\\u0041 \\n \\" </script> %41 %00 &amp;'],
  ])('keeps %s in values and in names', async (_title, text) => {
    const account = service.account();
    const body = { name: text, phone: text, [text]: { [text]: [text] } };
    const record = await account.create('customers', body);
    expect(record).toStrictEqual({ ...body, id: record.id, owner_sub: account.subject });
    const read = await account.get(`/customers/${record.id}`);
    expect(read.json.data).toStrictEqual(record);
    expect((await account.get('/customers')).json.data).toStrictEqual([record]);
  });
});

describeContract('An identifier', (service) => {
  it.each(COLLECTION_TABLE)(
    'of $name is the next of its own collection; refused creates use none, deletes free none',
    async (row) => {
      const account = service.account();
      const first = await account.create(row.name, row.body);
      for (const other of COLLECTION_TABLE.filter(({ name }) => name !== row.name)) {
        await account.create(other.name, other.body);
      }
      expect((await account.post(`/${row.name}`, '{')).status).toBe(400);
      if (row.texts.length > 0) expect((await account.post(`/${row.name}`, {})).status).toBe(422);
      await account.delete(`/${row.name}/${first.id}`);
      const second = await account.create(row.name, row.body);
      const third = await createFor(service.operator, account.subject, row.name);
      const numbers = [first, second, third].map(({ id }) => sequenceOfId(id));
      expect(numbers).toEqual([0, 1, 2].map((more) => sequenceOfId(first.id) + more));
    },
  );

  it('is unique for each of 100 concurrent creates', async () => {
    const account = service.account();
    const records = await Promise.all(
      Array.from({ length: 100 }, (_, n) => account.create('services', { name: `${n}`, price: 1 })),
    );
    expect(new Set(records.map(({ id }) => id)).size).toBe(100);
    expect(new Set(records.map((record) => record['name'])).size).toBe(100);
    const list = await account.get('/services?page_size=1');
    expect(list.json.meta.pagination.total).toBe(100);
    // Two digits are the minimum, not the maximum.
    for (const { id } of records) {
      const sequence = sequenceOfId(id);
      expect(id).toBe(`SRV-${sequence < 10 ? `0${sequence}` : sequence}`);
    }
    expect(Math.max(...records.map(({ id }) => sequenceOfId(id)))).toBeGreaterThanOrEqual(100);
  });
});

describeContract(
  'Identifiers after a restart',
  (service) => {
    it('continue after the highest stored one, with more digits than the minimum', async () => {
      const account = service.account();
      const moves: string[] = [];
      const last = new Map<string, number>();
      for (const row of COLLECTION_TABLE) {
        const record = await account.create(row.name, row.body);
        const { id } = record;
        const highest = row.idPrefix + '9'.repeat(row.idDigitsMin);
        last.set(row.name, Math.max(sequenceOfId(id), sequenceOfId(highest)));
        moves.push(
          `update records set id = '${highest}', body = '${JSON.stringify({ ...record, id: highest })}'
          where collection = '${row.name}' and id = '${id}'`,
        );
      }
      await service.restartChanged(...moves);
      for (const row of COLLECTION_TABLE) {
        const { id } = await account.create(row.name, row.body);
        expect(sequenceOfId(id)).toBe((last.get(row.name) ?? 0) + 1);
        expect(id.length).toBeGreaterThan(row.idPrefix.length + row.idDigitsMin);
      }
    });
  },
  { ownService: true },
);

/** The JSON text of an own property; undefined if the object has none. */
function ownText(record: object, name: string): string | undefined {
  return JSON.stringify(Object.getOwnPropertyDescriptor(record, name)?.value);
}
