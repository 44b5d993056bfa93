// An account that is being loaded into its object. Its records arrive in pieces, which go into their
// table at once but aren't served until all of them are there. The table `arrival` exists until then.

import {
  type AccountContents,
  AccountDigest,
  type DumpedRow,
  PIECE_MAX_ROWS,
  piecesOf,
} from '../dump/dumped-rows.js';
import { PUT_ROW } from './object-record-storage.js';
import { migrate, type ObjectStorage, SCHEMA_STEPS } from './object-storage.js';

/** Positions of an arrival have no gap, so the highest one is the number of rows. */
const COUNT = `
  select coalesce(max(position), 0) as records, total(octet_length(body)) as bytes from records`;
/** Positions and sizes of rows: reads no body. */
const MEASURE = `
  select position, octet_length(body) as size from records
   where position > ?1 order by position limit ?2`;
const ROWS = `
  select collection, id, body, created_at, updated_at from records
   where position > ?1 and position <= ?2 order by position`;

export type UnderWay = {
  readonly owner: string;
  /** The name of the dump. */
  readonly load: string;
};

/** The load in progress. */
export function arrivalUnderWay({ sql }: ObjectStorage): UnderWay | undefined {
  const tables = sql.exec("select name from sqlite_schema where name = 'arrival'");
  if ([...tables].length === 0) return undefined;
  return [...sql.exec<UnderWay>('select owner, announced as load from arrival')][0];
}

/** Creates the tables of an empty object; part of a transaction. */
export function beginArrival(storage: ObjectStorage, { owner, load }: UnderWay): void {
  migrate(storage, SCHEMA_STEPS, 0);
  // `announced` holds the name of the dump; the column's name is that of an earlier release.
  storage.sql.exec('create table arrival (owner text not null, announced text not null) strict');
  storage.sql.exec('insert into arrival values (?1, ?2)', owner, load);
}

/** Part of a transaction: from now on the records are the account's. */
export function endArrival({ sql }: ObjectStorage): void {
  sql.exec('drop table arrival');
}

export function arrivedSoFar({ sql }: ObjectStorage): { records: number; bytes: number } {
  const [counted = { records: 0, bytes: 0 }] = sql.exec<{ records: number; bytes: number }>(COUNT);
  return counted;
}

/** Adds all rows or none. Throws if two records have one id. */
export function appendRows(storage: ObjectStorage, rows: readonly DumpedRow[]): void {
  storage.transactionSync(() => {
    let { records } = arrivedSoFar(storage);
    for (const row of rows) storage.sql.exec(PUT_ROW, ++records, ...row);
  });
}

/** The rows after a position, as many as fit into a piece, at least one. Needs the tables. */
export function rowsAfter({ sql }: ObjectStorage, position: number) {
  type Measure = { position: number; size: number };
  const measured = [...sql.exec<Measure>(MEASURE, position, PIECE_MAX_ROWS + 1)];
  const [piece = []] = piecesOf(measured, ({ size }) => size);
  const last = piece.at(-1)?.position ?? position;
  // Read to the end: a cursor that is left open locks the tables until it is collected.
  const found = [...sql.exec(ROWS, position, last)];
  const rows = found.map((row) => Object.values(row) as unknown as DumpedRow);
  return { rows, last, isLast: piece.length === measured.length };
}

/** Needs the tables, and no write in between. */
export async function storedContents(storage: ObjectStorage): Promise<AccountContents> {
  const digest = new AccountDigest();
  for (let position = 0; ; ) {
    const { rows, last, isLast } = rowsAfter(storage, position);
    for (const row of rows) await digest.add(row);
    if (isLast) return digest.contents();
    position = last;
  }
}
