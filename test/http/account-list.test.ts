// The operator's list of accounts: every account without `q`, and those that match
// with it.

import { expect, it } from 'vitest';
import { createHandler, openRecords } from '../../src/handler.js';
import { openMemoryStorage } from '../../src/memory.js';

const KEY = 'the-operator-key-of-the-handler-tests';

it.each([
  ['', ['local-preview', 'xq-juma', 'xq-neema']],
  ['?q=', ['local-preview', 'xq-juma', 'xq-neema']],
  ['?q=XQ-', ['xq-juma', 'xq-neema']],
  ['?q=nobody', []],
])('GET /admin/accounts%s lists %j', async (query, owners) => {
  const records = await openRecords({ storage: openMemoryStorage() });
  for (const owner of ['xq-neema', 'xq-juma'])
    await records.account(owner).create('businesses', '{}');
  const handler = createHandler({ records, adminKey: KEY });
  const request = new Request(`http://localhost/api/v1/admin/accounts${query}`, {
    headers: { 'X-Service-Admin-Key': KEY },
  });
  const { data, meta } = await (await handler(request)).json();
  const found = data.map(({ owner_sub }: { owner_sub: string }) => owner_sub);
  expect([found, meta.pagination.total]).toEqual([owners, owners.length]);
});
