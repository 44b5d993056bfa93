// Copies the service's empty database and fills the copy; prints its payload size.

import { copyFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

/** One statement for a group of accounts, whatever its size. The driver binds every number as REAL. */
const FILL = `
  insert into records (position, collection, id, body, owner, created_at, updated_at)
  with recursive
    numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < :records),
    placed as (select n, n + cast(:first as integer) as position, printf('CUS-%04d', n + :first) as id from numbers)
  select position, 'customers', id,
    json_object(
      'id', id,
      'owner_sub', :prefix || '-' || (n % cast(:owners as integer)),
      'name', printf('Neema Mushi %06d', position),
      'phone', printf('+255 7%02d %03d %03d', n % 90, n % 1000, n % 997),
      'city', 'Dar es Salaam',
      'group', printf('Segment-%02d', n % 100),
      'likes', json('["braids","twists"]'),
      'notes', 'comes on Saturdays, prefers the morning'
    ),
    :prefix || '-' || (n % cast(:owners as integer)),
    :now, :now
  from placed`;

const { emptyDatabase, file, accounts } = JSON.parse(process.argv[2] ?? '');
copyFileSync(emptyDatabase, file);
const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
await client.execute('pragma synchronous = off');
// The samples that a new file starts with.
await client.execute('delete from records');
let first = 1;
for (const { prefix, owners, records } of accounts) {
  const args = { prefix, owners, records, first, now: Date.now() };
  await client.execute({ sql: FILL, args });
  first += records;
}
const { rows } = await client.execute('select total(octet_length(body)) as bytes from records');
client.close();
process.stdout.write(JSON.stringify({ payloadBytes: Number(rows[0]?.['bytes']) }));
