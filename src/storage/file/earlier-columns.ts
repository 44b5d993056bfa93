// Brings the rows of a file of version 1 or 2 along: their owners and statuses, from their bodies.

import type { Connection, Statement } from './connection.js';
import { FileRows } from './file-rows.js';
import { FILL_COLUMNS, SET_COLUMNS } from './file-schema.js';
import { ownerColumn, statusColumn } from './record-columns.js';
import { loadPage } from './record-pages.js';

/**
 * The statements that give an earlier file's rows their columns; each is asked for once the one
 * before it has run. SQL does it: parsing a million bodies here would take three times as long.
 * Then every body is looked at as a start does, and where SQL read something else from it, as
 * from a property that is there twice, the columns are set again. Throws, naming the row, where a
 * body is no record.
 */
export function* earlierColumns(connection: Connection): Generator<Statement> {
  yield { sql: FILL_COLUMNS };
  for (let last = 0; ; ) {
    const page = loadPage(connection, last);
    if (page === undefined) return;
    last = page.last;
    const columns = new FileRows(page).differing.map(({ position, owner, status }) => [
      position,
      ownerColumn(owner),
      statusColumn(status),
    ]);
    if (columns.length > 0) yield { sql: SET_COLUMNS, args: [JSON.stringify(columns)] };
  }
}
