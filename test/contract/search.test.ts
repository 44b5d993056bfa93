// Contract, "List", the query parameter `q`: case-insensitive substring search
// over the serialized record.

import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  type Caller,
  describeContract,
  idsOf,
  type JsonRecord,
  pagination,
  type Reply,
  type Row,
} from '../support/contract.js';

const FOUND = [
  ...['Salon ya Neema', 'salon YA neema', 'ALON', 'businessname', '"BusinessName":"Salon', '12.5'],
  ...['"open":true', 'closed":null', 'city":"dar', '["kariakoo","ilala"]', '+255 712', '日本', 'ß'],
  ...['100%', '[a-z]+', '(.*)', '^$', 'a|b', '?#&=/;', '<b>', 'é àé', 'É ÀÉ', '💇🏾'],
  // The JSON text is searched, in which quotes, backslashes and control characters are escaped.
  ...['say \\"hi\\"', '\\\\ 100', 'tab\\tend'],
];

const MISSED = [
  ...['salon  ya', 'Salonya', 'neema salon', ' Salon ya Neema ', '.alon', 'salon.*neema', 'sal%'],
  ...['sal_n', '*a', '"hi"', 'tab\tend', 'city dar', 'e\u0301', 'created_at', 'updated_at'],
  ...['undefined', '\u0000'],
];

describeContract('A search', (service) => {
  let account: Caller;
  let record: JsonRecord & { id: string };
  beforeAll(async () => {
    account = service.account();
    await account.create('businesses', { other: 'business' });
    record = await account.create('businesses', {
      BusinessName: 'Salon ya Neema',
      phone: '+255 712 000 111',
      open: true,
      closed: null,
      staff: 12.5,
      address: { City: 'Dar es Salaam', tags: ['Kariakoo', 'Ilala'] },
      note: 'say "hi" \\ 100% [a-z]+ (.*) ^$ a|b ?#&=/; <b> é ÀÉ ß 日本 💇🏾 tab\tend',
    });
  });

  function search(q: string): Promise<Reply> {
    return account.get(`/businesses?q=${encodeURIComponent(q)}`);
  }

  it.each(FOUND)('finds %j', async (q) => {
    const reply = await search(q);
    expect(reply.json.data).toStrictEqual([record]);
    expect(reply.json.meta.pagination).toStrictEqual(pagination(1, 20, 1, 1));
  });

  it.each(MISSED)('does not find %j', async (q) => {
    const reply = await search(q);
    expect(reply.status).toBe(200);
    expect(reply.json.data).toEqual([]);
    expect(reply.json.meta.pagination.total).toBe(0);
  });

  it('covers id and owner_sub, names and values, ignoring case', async () => {
    const other = service.account();
    const created = await other.create('customers', { name: 'A', phone: '1' });
    const { id } = created;
    const [name, value] = ['"owner_sub":', `"${other.subject}"`];
    for (const q of [id, id.toLowerCase(), `"id":"${id}"`, name + value, value.toUpperCase()]) {
      const reply = await other.get(`/customers?q=${encodeURIComponent(q)}`);
      expect(reply.json.data).toStrictEqual([created]);
    }
  });

  it.each([
    ['a + for a space', 'salon+ya+neema', 1],
    ['an escaped +', '%2B255+712', 1],
    ['an unescaped % that escapes nothing', '100%', 1],
    ['an escape cut short', '100%2', 0],
    ['lower-case escapes', '%c3%89+%c3%80', 1],
    ['bytes that are not UTF-8', '%E9', 0],
    ['the first of two', 'salon&q=nothing', 1],
    ['the first of two, though it is empty', '&q=nothing', 2],
  ])('reads %s', async (_title, raw, total) => {
    const reply = await account.get(`/businesses?q=${raw}`);
    expect(reply.status).toBe(200);
    expect(reply.json.meta.pagination.total).toBe(total);
  });

  it.each([
    ...['ΟΔΟΣ ΟΔΟΣ', 'ΟΔΟΣ οδος', 'οδος ΟΔΟΣ', 'ΟΔΟΣΑ ΟΔΟΣ', 'οδοσα ΟΔΟΣ', 'ΟΔΟΣ Σ', 'οδος σ'],
    ...['İstanbul İSTANBUL', 'ISTANBUL istanbul', 'STRASSE strasse'],
  ])('finds the second text in the first, ignoring case: %s', async (texts) => {
    const [name = '', q = ''] = texts.split(' ');
    const other = service.account();
    await other.create('customers', { name, phone: '1' });
    const reply = await other.get(`/customers?q=${encodeURIComponent(q)}`);
    expect(reply.json.meta.pagination.total).toBe(1);
  });

  it.each([256, 257, 2_000])('finds a text of %d characters', async (length) => {
    const other = service.account();
    const letters = Array.from({ length }, (_, n) => String.fromCharCode(97 + ((n * n) % 23)));
    const text = letters.join('');
    const shorter = text.slice(0, -1);
    const whole = await other.create('businesses', { note: `-${text}-` });
    const part = await other.create('businesses', { note: `-${shorter}-` });
    expect(idsOf(await other.get(`/businesses?q=${text}`))).toEqual([whole.id]);
    expect(idsOf(await other.get(`/businesses?q=${shorter}`))).toEqual([part.id, whole.id]);
  });
});

describeContract('A search for any text, by any status, on any page,', (service) => {
  const unit = fc.constantFrom(
    ...'aAbB1 .*%_[]^$?\\"\'/ÀàΣςσİıßſ日💇',
    '\u0000',
    '\u001e',
    '\u2028',
  );
  const text = fc.string({ unit, maxLength: 6 });
  const status = fc.constantFrom(undefined, null, 7, '', 'New', 'new', 'a%');
  const change = fc.record({ at: fc.nat(11), isDeletion: fc.boolean(), text, status });
  const query = fc.record({
    q: fc.oneof(text, fc.constantFrom('"note":"', 'bus', 'BIZ-', '","', '\\u0000', '{"id"', 'ς')),
    status: fc.constantFrom('', 'New', 'a%', 'a_'),
    page: fc.integer({ min: 1, max: 3 }),
  });
  const records = fc.array(fc.record({ text, status }), { minLength: 12, maxLength: 12 });
  const folded = (value: string) => value.toLowerCase().replaceAll('ς', 'σ');

  it('finds what filtering the listed records finds, after any changes', async () => {
    const changes = fc.array(change, { maxLength: 4 });
    const queries = fc.array(query, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(records, changes, queries, async (made, changed, asked) => {
        const account = service.account();
        const ids: string[] = [];
        for (const { text: note, status: of } of made) {
          ids.push((await account.create('businesses', { note, status: of })).id);
        }
        for (const { at, isDeletion, text: note, status: of } of changed) {
          const path = `/businesses/${ids[at]}`;
          if (isDeletion) await account.delete(path);
          else await account.patch(path, { note, status: of });
        }
        const all = (await account.get<Row[]>('/businesses')).json.data;
        for (const { q, status: wanted, page } of asked) {
          const found = all.filter(
            (record) =>
              folded(JSON.stringify(record)).includes(folded(q)) &&
              (wanted === '' || !('status' in record) || record['status'] === wanted),
          );
          const query = { q, status: wanted, page: `${page}`, page_size: '5' };
          const { json } = await account.get(`/businesses?${new URLSearchParams(query)}`);
          expect(json.data).toStrictEqual(found.slice(5 * (page - 1), 5 * page));
          expect(json.meta.pagination.total).toBe(found.length);
        }
      }),
      { numRuns: 12 },
    );
  });
});
