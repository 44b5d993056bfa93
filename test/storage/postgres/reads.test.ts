// Reads over Postgres: what SQL must find and count as memory does on other hosts.

import { expect, it, onTestFinished } from 'vitest';
import { caseFolded } from '../../../src/core/domain/search.js';
import { textOf } from '../../support/pages.js';
import { openTcpProxy } from '../../support/tcp-proxy.js';
import { customer, listQuery, newRecords, openRecords, recordIn, rowsIn } from './records.js';

it('A search of accounts finds and pages subjects in any script as caseFolded does', async () => {
  const { account, operator } = await newRecords();
  const owners = 'ÀB İzmir i ΣΑΣ ﬀ 𐐀x \ud800q a\u0001b Plain straße K'.split(' ');
  for (const owner of owners) recordIn(await account(owner).create('customers', customer()));
  const found = async (q: string, page = 1, pageSize = 100) => {
    const { items, total } = await operator.accounts({ q, page, pageSize });
    return { total, owners: (await rowsIn(items)).map((row) => row['owner_sub']) };
  };
  for (const q of 'àb İ i σας Σ 𐐨X K plain SS 0001 d800 Q B'.split(' ')) {
    const wanted = owners.filter((owner) => caseFolded(owner).includes(caseFolded(q)));
    expect([q, (await found(q)).owners.toSorted()]).toEqual([q, wanted.toSorted()]);
  }
  const profile = JSON.stringify({ businessName: 'ÉTÉ', location: 'l', phone: '1' });
  recordIn(await account('owner').create('businesses', profile));
  expect(await found('été')).toEqual({ total: 1, owners: ['owner'] });
  expect(await found('\0')).toEqual({ total: 0, owners: [] });
});

it('An account search fetches only the requested page, not every match', async () => {
  const { url, port, sql } = await newRecords();
  let received = 0;
  const proxy = await openTcpProxy(port, ({ length }) => {
    received += length;
  });
  onTestFinished(proxy.close);
  const { operator } = await openRecords(url.replace(`:${port}/`, `:${proxy.port}/`));
  await sql(
    `insert into account_totals select 'z' || lpad(n::text, 5, '0'), 'customers', 1, 1, 1
       from generate_series(1, 20000) n`,
  );
  const before = received;
  const { items, total } = await operator.accounts({ q: 'Z0', page: 3, pageSize: 2 });
  expect(total).toBe(9_999);
  expect((await rowsIn(items)).map((row) => row['owner_sub'])).toEqual(['z00005', 'z00006']);
  expect(received).toBeGreaterThan(before);
  expect(received - before).toBeLessThan(10_000);
});

it('A search or a write whose client has disconnected is not sent to Postgres', async () => {
  const { account, name, sql } = await newRecords();
  const last = 'select from pg_stat_activity where datname = $1 and query like $2';
  const searched = async () => (await sql(last, [name, '%strpos%'])).length;
  const gone = account('a', { isDisconnected: () => true });
  await expect(gone.list('customers', listQuery({ q: 'x' }))).rejects.toThrow(/connection closed/);
  await expect(gone.create('customers', customer())).rejects.toThrow(/connection closed/);
  expect(await searched()).toBe(0);
  expect(await account('a').list('customers', listQuery({ q: 'x' }))).toMatchObject({ total: 0 });
  expect(await searched()).toBe(1);
});

it('Searches find records by any characters that a text can contain', async () => {
  const account = (await newRecords()).account('nul \0 half \ud800 mark \u0001');
  const status = 'a"\\\u0000\ud800';
  const odd = recordIn(await account.create('orders', orderOf({ status, note: '"\\\n\u001e' })));
  const long = recordIn(await account.create('orders', orderOf({ status: 'é'.repeat(500_000) })));
  const of = async (more: object) =>
    (await rowsIn((await account.list('orders', listQuery(more))).items)).map(({ id }) => id);
  expect(await of({})).toEqual([long.id, odd.id]);
  expect(await of({ status })).toEqual([odd.id]);
  expect(await of({ status: 'é'.repeat(500_000) })).toEqual([long.id]);
  expect(await of({ q: 'É'.repeat(300) })).toEqual([long.id]);
  expect(await of({ q: '\0' })).toEqual([]);
});

it('Long records and their payments are listed in order, without being held together', async () => {
  const account = (await newRecords()).account('a');
  const lengths = [10, 100_000, 20, 200_000, 300_000, 30, ...Array(20).fill(150_000)];
  const ids: string[] = [];
  for (const length of lengths) {
    const body = orderOf({ note: 'x'.repeat(length), amount: length, paid: 1 });
    ids.unshift(recordIn(await account.create('orders', body)).id);
  }
  for (const q of ['', 'x']) {
    const page = await account.list('orders', listQuery({ q }));
    expect(Array.isArray(page.items)).toBe(false);
    expect((await rowsIn(page.items)).map(({ id }) => id)).toEqual(ids);
  }
  const payments = await account.payments();
  expect(payments.total).toBe(lengths.length);
  const rows = await rowsIn(payments.items);
  expect(rows.map((row) => row['order_id'])).toEqual(ids);
  expect(rows.map((row) => row['amount'])).toEqual(lengths.toReversed());
});

it('A search finds the same with and without the documented index', async () => {
  const { account: of, sql } = await newRecords();
  const account = of('a');
  for (const note of ['50% off', '5000 off', 'a_b', 'axb', 'C:\\dir', 'ÉTÉ à Zanzibar', 'plain']) {
    recordIn(await account.create('customers', customer({ note })));
  }
  const queries = ['50%', 'a_b', 'c:\\\\dir', 'été', 'PLAIN', 'nobody has this'];
  const search = async (q: string) =>
    rowsIn((await account.list('customers', listQuery({ q }))).items);
  const plain = await Promise.all(queries.map(search));
  const page = textOf('src/hosts/postgres/README.md');
  const statements = /```sql\n([^`]+)```/.exec(page)?.[1]?.trim().split(';\n') ?? [];
  expect(statements).toHaveLength(2);
  for (const statement of statements) await sql(statement);
  expect(await Promise.all(queries.map(search))).toEqual(plain);
  expect(plain.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 0]);
});

function orderOf(more: object): string {
  return JSON.stringify({ customer: 'c', service: 's', amount: 1, ...more });
}
