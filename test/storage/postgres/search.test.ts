// A search by the operator's trigram index finds what a search without it finds.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../../support/pages.js';
import { newDatabaseName, openPostgres, type PostgresServer } from '../../support/postgres.js';
import { customer, openRecords, recordIn, rowsIn } from './records.js';

const NOTES = ['50% off', '5000 off', 'a_b', 'axb', 'C:\\dir', 'ÉTÉ à Zanzibar', 'plain'];

let server: PostgresServer;

beforeAll(async () => {
  server = await openPostgres();
});
afterAll(() => server.close());

it('A search with the index of the page finds the same records', async () => {
  const name = newDatabaseName();
  const url = await server.make(name);
  const plain = await openRecords(url);
  for (const note of NOTES)
    recordIn(await plain.account('a').create('customers', customer({ note })));
  const page = textOf('src/hosts/postgres/README.md');
  const statements = /```sql\n([^`]+)```/.exec(page)?.[1]?.split(';\n') ?? [];
  for (const statement of statements.filter((text) => text.trim() !== '')) {
    await server.sql(name, statement);
  }
  const indexed = await openRecords(url, undefined, true);
  const query = { status: '', page: 1, pageSize: 100 };
  for (const q of ['50%', 'a_b', 'c:\\\\dir', 'été', 'PLAIN', 'nobody has this']) {
    const found = async ({ account }: typeof plain) =>
      rowsIn((await account('a').list('customers', { ...query, q })).items as string[]);
    expect(await found(indexed), q).toEqual(await found(plain));
    expect((await found(plain)).length, q).toBe(q === 'nobody has this' ? 0 : 1);
  }
  await Promise.all([plain.close(), indexed.close()]);
});
