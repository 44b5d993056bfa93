// The database file of a host on Node, and SQL on it while the host is stopped.

import { join } from 'node:path';
import { runSql } from '../../scripts/run-sql.js';

/** Path of the file in a host's folder. */
export function databasePath(folder: string): string {
  return join(folder, 'service.db');
}

/** Fills in the owner and status of rows that a test wrote with SQL, so that their owners see them. */
export const FILL_COLUMNS = `
  update records
     set owner = case json_type(body, '$.owner_sub')
           when 'text' then nullif(body ->> '$.owner_sub', '') end,
         status = case
           when json_type(body, '$.status') = 'text' then body ->> '$.status'
           when json_type(body, '$.status') is not null then 0 end
   where json_valid(body)
     and coalesce(body -> '$.owner_sub', '') || coalesce(body -> '$.status', '') not like '%\\ud%'`;

/** Runs SQL on a stopped host's file. */
export async function changeDatabase(folder: string, ...statements: readonly string[]) {
  await runSql(databasePath(folder), ...statements, FILL_COLUMNS);
}
