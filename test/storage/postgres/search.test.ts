// A search by the operator's trigram index finds what a search without it finds.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../../support/pages.js';
import { newDatabaseName, openPostgres, type PostgresServer } from '../../support/postgres.js';
import { customer, openRecords, recordIn, rowsIn } from './records.js';

const NOTES = ['50% off', '5000 off', 'a_b', 'axb', 'C:\\dir', 'ÉTÉ à Zanzibar', 'plain'];

const QUERIES = ['50%', 'a_b', 'c:\\\\dir', 'été', 'PLAIN', 'nobody has this'];

let server: PostgresServer;

beforeAll(async () => {
  server = await openPostgres();
});
afterAll(() => server.close());

it('A search with the index of the page finds the same records', async () => {
  const name = newDatabaseName();
  const { account, close } = await openRecords(await server.make(name));
  for (const note of NOTES) recordIn(await account('a').create('customers', customer({ note })));
  const query = { status: '', page: 1, pageSize: 100 };
  const found = async (q: string) =>
    rowsIn((await account('a').list('customers', { ...query, q })).items as string[]);
  const plain = await Promise.all(QUERIES.map(found));
  const page = textOf('src/hosts/postgres/README.md');
  const statements = /```sql\n([^`]+)```/.exec(page)?.[1]?.split(';\n') ?? [];
  for (const statement of statements.filter((text) => text.trim() !== '')) {
    await server.sql(name, statement);
  }
  expect(await Promise.all(QUERIES.map(found))).toEqual(plain);
  expect(plain.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 0]);
  await close();
});
