// The database file that the hostile clients meet: an account of very many small orders, one
// of large records.

import { join } from 'node:path';
import { runSql } from '../../../scripts/run-sql.js';
import { FILL_COLUMNS } from '../../support/database-file.js';
import { spawnServer } from '../service/service-process.js';
import { LARGE, LARGE_RECORD_CHARACTERS, MANY } from './attacks.js';

const LARGE_RECORDS = 30;

/** Makes the file in the folder and resolves with its path. */
export async function filledDatabase(folder: string, orders: number): Promise<string> {
  const file = join(folder, 'filled.db');
  const empty = spawnServer({ environment: { DATABASE_URL: `file:${file}` } });
  await empty.saw('started');
  await empty.end('SIGTERM');
  await runSql(
    file,
    'pragma synchronous = off',
    'delete from records',
    `insert into records (position, collection, id, body, created_at, updated_at)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${orders})
     select n, 'orders', printf('ORD-%04d', n), json_object('id', printf('ORD-%04d', n),
       'owner_sub', '${MANY}', 'customer', 'a', 'service', 'b', 'amount', 1, 'paid', 0,
       'status', 'New', 'currency', 'TZS'), 0, 0 from numbers`,
    `insert into records (position, collection, id, body, created_at, updated_at)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${LARGE_RECORDS})
     select n + ${orders}, 'team', printf('TM-%04d', n), json_object('id', printf('TM-%04d', n),
       'owner_sub', '${LARGE}', 'name', 'Ally', 'phone', '1',
       'note', replace(hex(zeroblob(${LARGE_RECORD_CHARACTERS / 2})), '0', 'a')), 0, 0 from numbers`,
    FILL_COLUMNS,
  );
  return file;
}
